// What views are made of: panels, lists, dialogs, and what is said in passing.
import {Refusal, Unreachable} from './ask.js';
import {h, s} from './element.js';
import {icon} from './icons.js';
import {t} from './words.js';

export {h, s};

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

const pressed = new WeakMap();

/**
 * Draws, but not while somebody presses what is there: a press on what is taken away before it ends is lost. Of drawings that wait only
 * the last one counts.
 */
export function unpressed(place, draw) {
  clearTimeout(pressed.get(place));
  if (place.matches(':active')) pressed.set(place, setTimeout(() => unpressed(place, draw), 50)); else draw();
}

/** Draws anew, and gives focus to what has taken the place of whatever had it, wherever it is now. */
export function redraw(draw) {
  const focused = document.activeElement;
  const key = focused?.closest('[data-key]')?.dataset.key;
  draw();
  if (!key || focused.isConnected) return;
  const place = document.querySelector(`[data-key="${key}"]`);
  // To the whole of what has several buttons: the next key must not set off another one.
  if (place?.tabIndex < 0) place.tabIndex = -1;
  (place?.querySelector(':scope > button') ?? place ?? document.querySelector('main'))?.focus({preventScroll: true});
}

/** Fills a list, or says that there is nothing. */
export function fill(list, items, make, empty) {
  unpressed(list, () => redraw(() => {
    if (items.length) keep(list, items, JSON.stringify, make); else list.replaceChildren(h('li', {class: 'hint'}, t(empty)));
  }));
}

/** The mark, as it stands in bars. */
export const mark = () => s('svg', {viewBox: '0 0 512 512', 'aria-hidden': 'true', class: 'mark'},
  s('path', {class: 'ground', d: 'M0 0h512v512H0z'}), s('path', {class: 'stroke', d: 'M168 124v264M168 284 296 172M232 232l112 156'}),
  s('circle', {cx: 338, cy: 140, r: 44}));

/** A map on which the place in the middle is meant. */
export const aimed = (map) => h('div', {class: 'aimed'}, map, s('svg', {class: 'aim', viewBox: '0 0 44 44', 'aria-hidden': 'true'},
  s('path', {d: 'M22 3v13m0 12v13M3 22h13m12 0h13'}), s('circle', {cx: 22, cy: 22, r: 12})));

/** A dialog that stands before everything else; Escape and Back close it, and focus goes back to where it was. */
export const openDialog = (title, ...content) => open(title, content, false);

/** The same, but on wide screens beside what is there, which can still be worked with, and on middling ones from that side. */
export const openBeside = (title, ...content) => open(title, content, true);

const opened = () => Array.from(document.querySelectorAll('dialog[open]'));

const wide = matchMedia('(min-width: 62rem)');

// A tablet that is turned has no room beside any more.
wide.addEventListener('change', () => {
  for (const dialog of wide.matches ? [] : document.querySelectorAll('dialog.beside')) {
    dialog.classList.remove('beside');
    dialog.removeAttribute('open');
    dialog.showModal();
  }
});

function open(title, content, isAside) {
  const isBeside = isAside && wide.matches;
  const id = newID();
  const heading = h('h2', {id, tabindex: '-1'}, title);
  const leave = h('button', {type: 'button', class: 'plain', 'aria-label': t('close'), onclick: close}, icon('close'));
  const dialog = h('dialog', {'aria-labelledby': id, class: isAside && (isBeside ? 'aside beside' : 'aside')}, h('div', {class: 'head'}, heading, leave), ...content);
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
    closers.delete(dialog);
    dialog.remove();
    if (dialog.contains(notices)) placeNotices();
  });

  async function close() {
    if (!isTyped || await confirmed(t('dropTyped'), t('dropTypedText'), t('drop'), dialog)) dialog.close();
  }

  closers.set(dialog, {close, isTyped: () => isTyped});
  document.body.append(dialog);
  // Where one begins: with what must be filled in, or at the start.
  (dialog.querySelector('[autofocus], [aria-required]') ?? heading).setAttribute('autofocus', '');
  if (isBeside) dialog.show(); else dialog.showModal();
  markForBack();
  return dialog;
}

// How to close each open dialog, and whether something was typed into it.
const closers = new Map();

/** Closes the dialogs of a view that is left, but for those in which something was typed. */
export function closeUntyped() {
  for (const dialog of opened()) if (!closers.get(dialog)?.isTyped()) dialog.close();
}

/** Whether something was typed into one that is open. */
export const isTyping = () => opened().some((dialog) => closers.get(dialog)?.isTyped());

/** Closes all, whatever was typed: whose they are is signed out. */
export const closeAll = () => opened().forEach((dialog) => dialog.close());

window.addEventListener('keydown', (event) => {
  const top = opened().at(-1);
  if (event.key !== 'Escape' || !top || top.matches(':modal')) return;
  // Else the same key would close what asks whether to.
  event.preventDefault();
  closers.get(top)?.close();
});

// One entry of the history stands for whatever dialogs are open: Back takes it away and closes the uppermost.
let entry = history.state?.isOfDialog ? location.hash : null;

function markForBack() {
  if (entry === null) history.pushState({isOfDialog: true}, '');
  entry = location.hash;
}

window.addEventListener('popstate', () => {
  const left = entry;
  entry = history.state?.isOfDialog ? location.hash : null;
  if (left === null || entry !== null || left !== location.hash) return;
  const top = opened().at(-1);
  // An entry whose dialogs are closed already is not worth stopping at.
  if (!top) return history.back();
  closers.get(top)?.close();
  if (opened().length) markForBack();
});

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

/** Says something in passing, with what can be done about it; the same again only once. What one has done oneself comes before what `isNews`; what `isSeen` where it happened is read out alone. */
export function say(text, {verb, act, isNews, isSeen} = {}) {
  placeNotices();
  // What appears in the same moment as its place is not read out.
  setTimeout(() => {
    for (const old of Array.from(notices.children)) if (old.firstChild.textContent === text) old.remove();
    const notice = h('p', {class: isSeen && 'unseen', onclick: () => notice.remove()}, text, act && h('button', {type: 'button', onclick: act}, verb));
    if (isNews) notices.prepend(notice); else notices.append(notice);
    // More than two are nothing to read in passing.
    while (notices.children.length > 2) notices.firstChild.remove();
    // As long as it takes to read.
    setTimeout(() => notice.remove(), (act ? 3500 : 2000) + 60 * text.length);
  }, 50);
}

/** Within the uppermost dialog, which makes everything outside of it inert, or on the sheet that darkens the rest. */
function placeNotices() {
  const place = opened().filter((dialog) => dialog.matches(':modal')).at(-1) ?? document.querySelector('section[popover]') ?? document.body;
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

/** The same of what did not arrive: why, is said above all of it once. */
const missing = (again, element) => h(element, {class: 'trouble away', role: element === 'div' && 'status'},
  h('p', {}, t('notLoaded')), h('button', {type: 'button', class: 'quiet', onclick: again}, t('tryAgain')));

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
    const again = () => { region.replaceChildren(); loading(region, load, show); };
    if (!(failure instanceof Unreachable)) return region.replaceChildren(trouble(wordsOf(failure), again, element));
    region.replaceChildren(missing(again, element));
    // It comes by itself with the connection.
    addEventListener('fresh', () => { if (loads.get(region) === mine && region.isConnected) again(); }, {once: true});
  }
}
