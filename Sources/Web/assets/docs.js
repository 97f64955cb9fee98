// The description of the API with types and examples, and a way to try each call.
import {h} from './element.js';

const {paths, components: {schemas}} = await (await fetch('/openapi.json')).json();
const token = h('input', {id: 'token', autocomplete: 'off', spellcheck: 'false'});

const place = document.querySelector('#try');
const words = place.dataset;
const {lang} = document.documentElement;
place.append(h('p', {}, h('label', {for: 'token'}, `${words.token} `), token), h('p', {class: 'hint'}, words.hint));

for (const article of document.querySelectorAll('article')) {
  const [method, path] = article.dataset.call.split(' ');
  const more = h('details', {}, h('summary', {lang}, words.more));
  more.addEventListener('toggle', () => { if (more.children.length === 1) more.append(...about(method, path, paths[path][method])); });
  article.append(more);
}

const named = (schema) => (schema.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema);

/** What a value may be besides null. */
const variants = (schema) => (named(schema).anyOf ?? [schema]).map(named).filter(({type}) => type !== 'null');

/** A type in a word: `string (uuid)`, `array of Delivery`, `"push" | "sms"`. */
function typeOf(schema) {
  if (schema.$ref) return named(schema).enum ? typeOf(named(schema)) : schema.$ref.split('/').at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`;
  const [least, most] = schema.type === 'string' ? [schema.minLength, schema.maxLength] : [schema.minimum, schema.maximum];
  const bounds = least === undefined && most === undefined ? '' : `${least ?? ''}…${most ?? ''}`;
  const rest = [schema.format, bounds && (schema.type === 'string' ? `${bounds} characters` : bounds)].filter(Boolean).join(', ');
  return rest ? `${schema.type} (${rest})` : schema.type;
}

const strings = {uuid: '01a1fc35-081c-7c93-9601-9d67685da334', uri: 'https://example.com/'};

/** A value of a type: of an object all its members, or those that must be there, and of those within it only these. */
function exampleOf(schema, isWhole, depth = 0) {
  const {type, anyOf, examples, enum: values, const: value, items, properties, required = [], format, minimum} = named(schema);
  // Times of what is asked for are to come.
  if (format === 'date-time') return new Date(Date.now() + 864e5).toISOString();
  if (examples) return examples[0];
  if (value ?? values) return value ?? values[0];
  if (anyOf) return exampleOf(anyOf[0], isWhole, depth);
  if (type === 'array') return depth > 4 ? [] : [exampleOf(items, isWhole, depth + 1)];
  if (type === 'object') {
    const members = Object.entries(properties ?? {}).filter(([name]) => (isWhole && depth === 0) || required.includes(name));
    return depth > 4 ? {} : Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, isWhole, depth + 1)]));
  }
  if (type === 'string') return strings[format] ?? '…';
  return type === 'boolean' ? true : minimum ?? 1;
}

const pretty = (value) => JSON.stringify(value, null, 2);

/** The members of an object, and of those within it, as rows. */
function rows(schema, before = '', depth = 0, told = new Set()) {
  return variants(schema).flatMap(({type, properties = {}, required = [], items}) => {
    if (type === 'array') return depth > 3 ? [] : rows(items, `${before}[].`, depth + 1, told);
    // What several of them have is told once.
    return Object.entries(properties).filter(([name]) => !told.has(before + name)).flatMap(([name, member]) => {
      told.add(before + name);
      const isList = variants(member).some((one) => one.type === 'array');
      return [
        h('tr', {}, h('td', {}, h('code', {}, before + name)), h('td', {}, typeOf(member)), h('td', {}, required.includes(name) ? 'always' : 'optional')),
        ...(depth < 2 ? rows(member, `${before}${name}${isList ? '' : '.'}`, depth + 1, told) : []),
      ];
    });
  });
}

const table = (title, body) => body.length ? [h('h4', {lang}, title), h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title}, h('table', {}, h('tbody', {}, body)))] : [];

const schemaOf = (content) => Object.values(content ?? {})[0]?.schema;

function about(method, path, {parameters, requestBody, responses}) {
  const body = schemaOf(requestBody?.content?.['application/json'] && requestBody.content);
  const answers = Object.entries(responses).filter(([status]) => status < 300);
  return [
    ...table(words.parameters, parameters.map(({name, in: where, schema, description = ''}) =>
      h('tr', {}, h('td', {}, h('code', {}, name)), h('td', {}, typeOf(schema)), h('td', {}, `${where}. ${description}`)))),
    ...(body ? [...table(words.body, rows(body)), h('pre', {tabindex: '0'}, pretty(exampleOf(body, true)))] : []),
    ...answers.flatMap(([status, {content}]) => {
      const schema = schemaOf(content);
      if (!schema || !content['application/json']) return [];
      return [...table(`${words.answer.replace('{status}', status)}: ${typeOf(schema)}`, rows(schema)), h('pre', {tabindex: '0'}, pretty(exampleOf(schema, true)))];
    }),
    trial(method, path, parameters.filter(({in: where}) => where !== 'header'), body, Object.keys(requestBody?.content ?? {})),
  ];
}

let lastNumber = 0;

/** A form that makes the call: with a body that can be typed, or else a file of one of the `types`. */
function trial(method, path, parameters, body, types) {
  const field = (name, control) => {
    control.id = `t${++lastNumber}`;
    return h('p', {}, h('label', {for: control.id}, name), ' ', control);
  };
  const inputs = parameters.map(({name}) => [name, h('input', {autocomplete: 'off'})]);
  const text = body && h('textarea', {rows: 6, spellcheck: 'false', value: pretty(exampleOf(body, false))});
  const file = !body && types.length > 0 && h('input', {type: 'file', accept: types.join()});
  const said = h('pre', {role: 'status', tabindex: '0', hidden: true});
  const form = h('form', {}, inputs.map(([name, input]) => field(name, input)), (text || file) && field(words.body, text || file),
    h('button', {lang}, words.try), said);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    let address = path;
    for (const [name, {value}] of inputs) {
      if (path.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(value)); else if (value) query.set(name, value);
    }
    // A file says itself what it is.
    const headers = {'X-Requested-With': 'kurir', ...(text && {'Content-Type': 'application/json'}),
      ...(token.value && {Authorization: `Bearer ${token.value}`})};
    said.hidden = false;
    said.textContent = '…';
    try {
      const answer = await fetch(query.size ? `${address}?${query}` : address, {method: method.toUpperCase(), headers, body: text?.value ?? (file ? file.files[0] : undefined)});
      said.textContent = `${answer.status} ${answer.statusText}\n\n${await readable(answer)}`;
    } catch (error) {
      said.textContent = error instanceof TypeError ? words.unreachable : String(error);
    }
  });
  return form;
}

async function readable(answer) {
  const type = answer.headers.get('content-type') ?? '';
  if (/^image\/(?!svg)/.test(type)) return `${type}, ${(await answer.blob()).size} bytes`;
  const text = await answer.text();
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}
