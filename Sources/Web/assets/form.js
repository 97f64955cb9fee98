// Forms: labelled fields, what the API finds wrong beside each of them, and one sending at a time.
import {remembered} from './account.js';
import {Refusal, thisVisit, Unreachable} from './ask.js';
import {h, newID, say, wordsOf} from './dom.js';
import {t} from './words.js';

// What was typed and not sent yet, by account, or by visit of who has none, and the form's name: it is still there after a look at another view, and after signing in again.
const drafts = new Map();

/**
 * A form. Each of `fields` is `{name, label, type?, value?, required?, autocomplete?, hint?, options?, rows?}`, an
 * element that stands between them, or some that are folded: `{fold, isOpen, fields}`. `send` gets what was filled in by name; what it throws is told. What is typed into a form
 * with a `draft` is kept by that name until it is sent, but for passwords. An `error` is told at once.
 */
export function form(fields, verb, send, {cancel, danger, draft, error} = {}) {
  const named = fields.flatMap((field) => field.fields ?? field).filter((field) => !(field instanceof Node));
  const place = `${remembered()?.id ?? thisVisit()} ${draft}`;
  const typed = draft && drafts.get(place);
  const made = (field) => (field instanceof Node ? field : field.fields ? folded(field, made) : row({...field, ...(typed && {value: typed[field.name]})}));
  const rows = fields.map(made);
  const trouble = h('p', {class: 'trouble', role: 'alert', hidden: true});
  const submit = h('button', {class: danger ? 'danger' : 'main'}, verb);
  const element = h('form', {novalidate: true}, rows, trouble,
    h('p', {class: 'actions'}, submit, cancel && h('button', {type: 'button', onclick: cancel}, t(danger ? 'keepIt' : 'cancel'))));
  if (draft) element.addEventListener('input', () => drafts.set(place, values(element, named.filter(({type}) => type !== 'password'))));
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit.hasAttribute('aria-disabled')) return;
    clear(element, trouble);
    const at = document.activeElement;
    submit.setAttribute('aria-disabled', 'true');
    try {
      await send(values(element, named), element);
      drafts.delete(place);
    } catch (error) {
      // Who has gone on is told all the same.
      if (element.isConnected) tell(error, element, trouble, document.activeElement === at); else say(wordsOf(error));
    }
    submit.removeAttribute('aria-disabled');
  });
  for (const event of ['input', 'change']) element.addEventListener(event, ({target}) => right(target, element));
  element.addEventListener('keydown', ({key, ctrlKey, metaKey}) => { if (key === 'Enter' && (ctrlKey || metaKey)) element.requestSubmit(); });
  if (error) queueMicrotask(() => tell(error, element, trouble));
  return element;
}

function folded({fold, isOpen, fields}, made) {
  // What somebody opens is seen; what is open from the beginning moves nothing.
  const show = () => setTimeout(() => part.open && part.scrollIntoView({block: 'nearest'}));
  const part = h('details', {class: 'more', open: Boolean(isOpen)}, h('summary', {onclick: show}, fold), h('div', {class: 'folded'}, fields.map(made)));
  return part;
}

function row(field) {
  const id = newID();
  const shared = {
    id, name: field.name, 'aria-required': field.required, autocomplete: field.autocomplete ?? 'off',
    'aria-describedby': field.hint ? `${id}-hint ${id}-wrong` : `${id}-wrong`,
  };
  const control = field.options
    ? h('select', {...shared, value: field.value ?? ''}, field.options.map(([value, text]) => h('option', {value}, text)))
    : field.rows
      ? h('textarea', {...shared, rows: field.rows, value: field.value ?? ''})
      : field.type === 'checkbox'
        ? h('input', {...shared, type: 'checkbox', checked: field.value})
        : h('input', {...shared, type: field.type ?? 'text', inputmode: field.inputmode, maxlength: field.longest, value: field.value ?? ''});
  const shown = field.type === 'password' ? h('div', {class: 'secret'}, control, showing(control)) : control;
  const label = h('label', {for: id}, field.label, !field.required && field.type !== 'checkbox'
    && h('span', {class: 'hint'}, ` (${t('optional')})`));
  return h('div', {class: field.type === 'checkbox' ? 'field check' : `field of-${field.name.split('.').at(-1)}`}, label, shown,
    field.hint && h('p', {class: 'hint', id: `${id}-hint`}, field.hint),
    h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true}));
}

/** Shows what is typed into a field for a password, so that nobody has to type it twice. */
function showing(control) {
  const button = h('button', {type: 'button', 'aria-pressed': 'false', 'aria-controls': control.id, onclick() {
    const isShown = control.type === 'password';
    control.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  }}, t('show'));
  return button;
}

/** What was filled in; left empty is null. */
function values(element, fields) {
  return Object.fromEntries(fields.map(({name, type}) => {
    const control = element.elements[name];
    if (type === 'checkbox') return [name, control.checked];
    const text = type === 'password' ? control.value : control.value.trim();
    return [name, text === '' ? null : text];
  }));
}

function clear(element, trouble) {
  trouble.hidden = true;
  for (const wrong of element.querySelectorAll('.wrong')) wrong.hidden = true;
  for (const control of element.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
}

/** What is being corrected is not called wrong any more, nor what it is a part of. */
function right(control, element) {
  control.removeAttribute('aria-invalid');
  for (const one of [control, control.closest('fieldset')]) {
    const wrong = one?.id && element.querySelector(`#${one.id}-wrong`);
    if (wrong) wrong.hidden = true;
  }
}

/** Says what is wrong where it is, and goes there, unless somebody has gone on meanwhile. */
function tell(error, element, trouble, isLed = true) {
  const rest = [];
  // What somebody else has already is said where it was typed.
  const taken = error.code?.replace('_taken', '');
  const errors = element.elements[taken] ? [{field: taken, detail: wordsOf(error)}] : error instanceof Refusal ? error.errors : [];
  for (const {field, code, detail} of errors) {
    const control = element.elements[field];
    const place = control?.id && element.querySelector(`#${control.id}-wrong`);
    if (!place) {
      rest.push(detail);
      continue;
    }
    const name = code === 'required' && element.querySelector(`label[for='${control.id}']`)?.firstChild.textContent;
    place.textContent = field === 'courier_ids' && code === 'required' ? t('chooseCourier') : name ? t('fillIn', {name}) : detail;
    place.hidden = false;
    place.closest('details')?.setAttribute('open', '');
    if (!control.matches('fieldset')) control.setAttribute('aria-invalid', 'true');
  }
  if (isLed) (element.querySelector('[aria-invalid]') ?? element.querySelector('.wrong:not([hidden])')?.parentElement.querySelector('input, button'))
    ?.focus();
  if (errors.length && !rest.length) return;
  trouble.textContent = rest.join(' ') || [wordsOf(error), error instanceof Unreachable && t('typedStays')].filter(Boolean).join(' ');
  trouble.hidden = false;
}

/** What differs from before, for a PATCH. */
export function changes(before, after) {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => (before[name] ?? null) !== value));
}
