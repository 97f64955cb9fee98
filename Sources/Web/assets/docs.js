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

/** A type in a word: `string (uuid)`, `array of Delivery`, `"push" | "sms"`. */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`;
  const [least, most] = schema.type === 'string' ? [schema.minLength, schema.maxLength] : [schema.minimum, schema.maximum];
  const bounds = least === undefined && most === undefined ? '' : `${least ?? ''}…${most ?? ''}`;
  const rest = [schema.format, bounds && (schema.type === 'string' ? `${bounds} characters` : bounds)].filter(Boolean).join(', ');
  return rest ? `${schema.type} (${rest})` : schema.type;
}

/** A value of a type. */
function exampleOf(schema, depth = 0) {
  const {type, anyOf, examples, enum: values, const: value, items, properties, required = [], format, minimum} = named(schema);
  if (examples) return examples[0];
  if (value ?? values) return value ?? values[0];
  if (anyOf) return exampleOf(anyOf[0], depth);
  if (type === 'array') return depth > 4 ? [] : [exampleOf(items, depth + 1)];
  if (type === 'object') {
    const members = Object.entries(properties ?? {}).filter(([name]) => depth === 0 || required.includes(name));
    return depth > 4 ? {} : Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, depth + 1)]));
  }
  if (type === 'string') return {uuid: '01a1fc35-081c-7c93-9601-9d67685da334', 'date-time': '2026-11-20T12:00:00.000Z', uri: 'https://example.com/'}[format] ?? '…';
  return type === 'boolean' ? true : minimum ?? 1;
}

const pretty = (value) => JSON.stringify(value, null, 2);

/** The members of an object, and of those within it, as rows. */
function rows(schema, before = '', depth = 0) {
  const {type, properties = {}, required = [], items} = named(schema);
  if (type === 'array') return depth > 3 ? [] : rows(items, `${before}[].`, depth + 1);
  return Object.entries(properties).flatMap(([name, member]) => [
    h('tr', {}, h('td', {}, h('code', {}, before + name)), h('td', {}, typeOf(member)), h('td', {}, required.includes(name) ? 'always' : 'optional')),
    ...(depth < 2 ? rows(member, `${before}${name}${named(member).type === 'array' ? '' : '.'}`, depth + 1) : []),
  ]);
}

const table = (title, body) => body.length ? [h('h4', {lang}, title), h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title}, h('table', {}, h('tbody', {}, body)))] : [];

const schemaOf = (content) => Object.values(content ?? {})[0]?.schema;

function about(method, path, {parameters, requestBody, responses}) {
  const body = schemaOf(requestBody?.content);
  const answers = Object.entries(responses).filter(([status]) => status < 300);
  return [
    ...table(words.parameters, parameters.map(({name, in: where, schema, description = ''}) =>
      h('tr', {}, h('td', {}, h('code', {}, name)), h('td', {}, typeOf(schema)), h('td', {}, `${where}. ${description}`)))),
    ...(body ? [...table(words.body, rows(body)), h('pre', {tabindex: '0'}, pretty(exampleOf(body)))] : []),
    ...answers.flatMap(([status, {content}]) => {
      const schema = schemaOf(content);
      if (!schema || !content['application/json']) return [];
      return [...table(`${words.answer.replace('{status}', status)}: ${typeOf(schema)}`, rows(schema)), h('pre', {tabindex: '0'}, pretty(exampleOf(schema)))];
    }),
    trial(method, path, parameters.filter(({in: where}) => where !== 'header'), body),
  ];
}

let lastNumber = 0;

/** A form that makes the call. */
function trial(method, path, parameters, body) {
  const field = (name, control) => {
    control.id = `t${++lastNumber}`;
    return h('p', {}, h('label', {for: control.id}, name), ' ', control);
  };
  const inputs = parameters.map(({name}) => [name, h('input', {autocomplete: 'off'})]);
  const text = body && h('textarea', {rows: 6, spellcheck: 'false', value: pretty(exampleOf(body))});
  const said = h('pre', {role: 'status', tabindex: '0', hidden: true});
  const form = h('form', {}, inputs.map(([name, input]) => field(name, input)), text && field(words.body, text),
    h('button', {lang}, words.try), said);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    let address = path;
    for (const [name, {value}] of inputs) {
      if (path.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(value)); else if (value) query.set(name, value);
    }
    const headers = {'X-Requested-With': 'kurir', ...(text && {'Content-Type': 'application/json'}),
      ...(token.value && {Authorization: `Bearer ${token.value}`})};
    said.hidden = false;
    said.textContent = '…';
    try {
      const answer = await fetch(query.size ? `${address}?${query}` : address, {method: method.toUpperCase(), headers, body: text?.value});
      said.textContent = `${answer.status} ${answer.statusText}\n\n${readable(await answer.text())}`;
    } catch (error) {
      said.textContent = error instanceof TypeError ? words.unreachable : String(error);
    }
  });
  return form;
}

function readable(text) {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}
