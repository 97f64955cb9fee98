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
    else element.setAttribute(name, value === true ? '' : value);
  }
  return element;
}

/** A part of a view, with its heading. */
export const panel = (title, ...content) => h('section', {class: 'panel'}, h('h2', {}, title), ...content);

/** Fills a list, or says that there is nothing. */
export const fill = (list, items, make, empty) =>
  list.replaceChildren(...(items.length ? items.map(make) : [h('li', {class: 'hint'}, t(empty))]));

let lastNumber = 0;
/** An id that nothing else has. */
export const newID = () => `n${++lastNumber}`;

/** Makes a list's children those of the items, and leaves alone what has not changed: focus stays where it is. */
export function keep(list, items, version, make) {
  const known = new Map(Array.from(list.children, (child) => [child.dataset.key, child]));
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const focusedKey = focused?.closest('[data-key]')?.dataset.key;
  const children = items.map((item) => {
    const mark = String(version(item));
    const old = known.get(item.id);
    if (old?.dataset.mark === mark) return old;
    const made = make(item);
    made.dataset.key = item.id;
    made.dataset.mark = mark;
    return made;
  });
  if (children.length === list.children.length && children.every((child, place) => child === list.children[place])) return;
  list.replaceChildren(...children);
  if (!focused || document.activeElement === focused) return;
  const place = focused.isConnected ? focused : children.find((child) => child.dataset.key === focusedKey);
  (place?.matches('button, a, input') ? place : place?.querySelector('button, a'))?.focus({preventScroll: true});
}

/** A dialog that stands before everything else; Escape closes it, and focus goes back to where it was. */
export function openDialog(title, ...content) {
  const id = newID();
  const close = h('button', {type: 'button', class: 'plain', 'aria-label': t('close'), onclick: () => dialog.close()}, '✕');
  const dialog = h('dialog', {'aria-labelledby': id}, h('header', {}, h('h2', {id}, title), close), ...content);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something that cannot be taken back. */
export function confirmed(title, text, verb) {
  return new Promise((answer) => {
    const yes = h('button', {type: 'button', class: 'danger', onclick: () => { answer(true); dialog.close(); }}, verb);
    const no = h('button', {type: 'button', onclick: () => dialog.close()}, t('keepIt'));
    const dialog = openDialog(title, h('p', {}, text), h('p', {class: 'actions'}, yes, no));
    dialog.addEventListener('close', () => answer(false));
  });
}

const notices = h('div', {class: 'notices', role: 'status', 'aria-live': 'polite'});

/** Says something in passing. */
export function say(text) {
  const notice = h('p', {}, text);
  // Above dialogs, which make everything outside of them inert.
  (document.querySelector('dialog[open]') ?? document.body).append(notices);
  notices.append(notice);
  setTimeout(() => notice.remove(), 7000);
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

/** Shows that something loads, then what came, or why it did not. */
export async function loading(region, load, show) {
  const element = region.matches('ul, ol') ? 'li' : 'div';
  region.setAttribute('aria-busy', 'true');
  if (!region.hasChildNodes()) region.append(h(element, {class: 'hint'}, t('loading')));
  try {
    const loaded = await load();
    if (region.isConnected) show(loaded);
    region.dataset.loaded = 'yes';
  } catch (error) {
    const again = () => { region.replaceChildren(); loading(region, load, show); };
    // What was loaded before can still be read.
    if (region.dataset.loaded) say(wordsOf(error)); else region.replaceChildren(trouble(wordsOf(error), again, element));
  }
  region.removeAttribute('aria-busy');
}
