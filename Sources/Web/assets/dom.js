// Elements are made here, and never from text: what people type is not markup.
import {Refusal, Unreachable} from './ask.js';
import {t} from './words.js';

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An element of HTML: `h('p', {class: 'hint'}, 'text', child)`. */
export const h = (name, properties, ...children) => filled(document.createElement(name), properties, children);

/** An element of SVG. */
export const s = (name, properties, ...children) =>
  filled(document.createElementNS(svgNamespace, name), properties, children);

function filled(element, properties, children) {
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : value);
  }
  return element;
}

/** A part of a view, with its heading. */
export const panel = (title, ...content) => h('section', {class: 'panel'}, h('h2', {}, title), ...content);

let lastNumber = 0;
/** An id that nothing else has. */
export const newID = () => `n${++lastNumber}`;

/** Makes a list's children those of the items, and touches none that has not changed. */
export function keep(list, items, mark, make) {
  const known = new Map(Array.from(list.children, (child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const now = String(mark(item));
    const old = known.get(item.id);
    if (old?.dataset.mark === now) return old;
    const made = make(item);
    made.dataset.key = item.id;
    made.dataset.mark = now;
    return made;
  });
  const stays = new Set(wanted);
  for (const child of Array.from(list.children)) if (!stays.has(child)) child.remove();
  for (const [place, child] of wanted.entries()) {
    if (list.children[place] !== child) list.insertBefore(child, list.children[place] ?? null);
  }
}

/** Draws anew, and gives focus to what has taken the place of whatever had it, wherever it is now. */
export function redraw(draw) {
  const focused = document.activeElement;
  const key = focused?.closest('[data-key]')?.dataset.key;
  draw();
  if (!key || focused.isConnected) return;
  const place = document.querySelector(`[data-key="${key}"]`);
  // To the whole of what has several buttons: the next key must not set off another one.
  if (place) place.tabIndex = -1;
  (place?.querySelector(':scope > button') ?? place ?? document.querySelector('main'))?.focus({preventScroll: true});
}

/** Fills a list, or says that there is nothing. */
export function fill(list, items, make, empty) {
  redraw(() => {
    if (items.length) keep(list, items, JSON.stringify, make); else list.replaceChildren(h('li', {class: 'hint'}, t(empty)));
  });
}

/** A dialog that stands before everything else; Escape closes it, and focus goes back to where it was. */
export function openDialog(title, ...content) {
  const id = newID();
  const heading = h('h2', {id, tabindex: '-1'}, title);
  const leave = h('button', {type: 'button', class: 'plain', 'aria-label': t('close'), onclick: close}, '✕');
  const dialog = h('dialog', {'aria-labelledby': id}, h('header', {}, heading, leave), ...content);
  // A key or button is quickly hit: what was typed is not dropped unasked, neither by them nor by loading the page anew.
  let isTyped = false;
  const stay = (event) => event.preventDefault();
  dialog.addEventListener('input', () => {
    isTyped = true;
    window.addEventListener('beforeunload', stay);
  });
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener('close', () => {
    window.removeEventListener('beforeunload', stay);
    dialog.remove();
    if (dialog.contains(notices)) placeNotices();
  });

  async function close() {
    if (!isTyped || await confirmed(t('dropTyped'), t('dropTypedText'), t('drop'), dialog)) dialog.close();
  }

  document.body.append(dialog);
  // Where one begins: with what must be filled in, or at the start.
  (dialog.querySelector('[autofocus], [aria-required]') ?? heading).setAttribute('autofocus', '');
  dialog.showModal();
  return dialog;
}

/** Asks before something that cannot be taken back; whether to close a dialog is asked as long as that one is open. */
export function confirmed(title, text, verb, closing) {
  return new Promise((answer) => {
    const yes = h('button', {type: 'button', class: 'danger', onclick: () => { answer(true); dialog.close(); }}, verb);
    const no = h('button', {type: 'button', autofocus: true, onclick: () => dialog.close()}, t('keepIt'));
    const dialog = openDialog(title, h('p', {}, text), h('p', {class: 'actions'}, yes, no));
    dialog.addEventListener('close', () => answer(false));
    closing?.addEventListener('close', () => dialog.close());
  });
}

const notices = h('div', {class: 'notices', role: 'status'});

/** Says something in passing; the same again only once. */
export function say(text) {
  placeNotices();
  for (const old of Array.from(notices.children)) if (old.textContent === text) old.remove();
  // What appears in the same moment as its place is not read out.
  setTimeout(() => {
    const notice = h('p', {}, text);
    notices.append(notice);
    setTimeout(() => notice.remove(), 7000);
  }, 50);
}

/** Within the uppermost dialog, which makes everything outside of it inert. */
function placeNotices() {
  const place = Array.from(document.querySelectorAll('dialog[open]')).at(-1) ?? document.body;
  if (notices.parentNode !== place) place.append(notices);
}

/** What is to be read of an error. */
export function wordsOf(error) {
  if (error instanceof Refusal) return error.message;
  if (error instanceof Unreachable) return t('unreachable');
  console.error(error);
  return t('somethingWrong');
}

/** What went wrong, with another go. */
export const trouble = (text, again, element = 'div') => h(element, {class: 'trouble', role: element === 'div' && 'alert'},
  h('p', {}, text), h('button', {type: 'button', onclick: again}, t('tryAgain')));

const loads = new WeakMap();

/** Shows that something loads, then what came, or why it did not; of loads under way only the last one counts. */
export async function loading(region, load, show) {
  const mine = {};
  loads.set(region, mine);
  const element = region.matches('ul, ol') ? 'li' : 'div';
  region.setAttribute('aria-busy', 'true');
  if (!region.hasChildNodes()) region.append(h(element, {class: 'hint'}, t('loading')));
  let loaded, failure;
  try {
    loaded = await load();
  } catch (error) {
    failure = error;
  }
  if (loads.get(region) !== mine || !region.isConnected) return;
  region.removeAttribute('aria-busy');
  if (!failure) {
    show(loaded);
    region.dataset.loaded = 'yes';
  } else if (region.dataset.loaded) {
    // What was loaded before can still be read.
    say(wordsOf(failure));
  } else {
    region.replaceChildren(trouble(wordsOf(failure), () => { region.replaceChildren(); loading(region, load, show); }, element));
  }
}
