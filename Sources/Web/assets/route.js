// The order in which a courier goes: a stop is dragged by its handle, or moved by its arrows.
import {ask} from './ask.js';
import {h, say, wordsOf} from './dom.js';
import {inTime} from './due.js';
import {t} from './words.js';

/** As the courier means to go, and else by when it is wanted: as the server reckons when each arrives. */
export const asChosen = (one, other) => (one.stop?.number ?? 999) - (other.stop?.number ?? 999) || inTime(one, other);

/** What a stop is moved by. */
export const handle = (name) => h('button', {type: 'button', class: 'handle', 'aria-label': t('routeMove', {name})}, '⠿');

/** Lets the items of a list be moved by their handles; `moved` gets their keys in the new order. Gives whether one is just held. */
export function movable(list, moved) {
  let held, before;
  const rows = () => Array.from(list.children);
  const order = () => rows().map(({dataset}) => dataset.key);
  const middle = (row) => { const {top, height} = row.getBoundingClientRect(); return top + height / 2; };

  list.addEventListener('pointerdown', (event) => {
    held = event.target.closest('.handle')?.closest('li');
    if (!held) return;
    before = order();
    held.classList.add('held');
    // The list stays where it is, and goes on to hear of it.
    list.setPointerCapture(event.pointerId);
  });
  list.addEventListener('pointermove', ({clientY}) => {
    if (!held) return;
    const others = rows().filter((row) => row !== held);
    const next = others.find((row) => clientY < middle(row)) ?? null;
    if (next !== held.nextElementSibling) list.insertBefore(held, next);
  });

  function drop() {
    if (!held) return;
    held.classList.remove('held');
    held = undefined;
    if (order().join() !== before.join()) moved(order());
  }

  list.addEventListener('pointerup', drop);
  list.addEventListener('pointercancel', drop);
  list.addEventListener('keydown', (event) => {
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    const row = event.target.closest('.handle')?.closest('li');
    if (!by || !row) return;
    event.preventDefault();
    const keys = order();
    const [from, to] = [keys.indexOf(row.dataset.key), keys.indexOf(row.dataset.key) + by];
    if (to < 0 || to >= keys.length) return;
    keys.splice(to, 0, ...keys.splice(from, 1));
    moved(keys);
    // It may be drawn anew.
    rows().find(({dataset}) => dataset.key === keys[to])?.querySelector('.handle')?.focus();
    say(t('routeAt', {number: to + 1, count: keys.length}));
  });
  return () => Boolean(held);
}

/** Goes in this order, and tells the server, and with it the stores. `find` has a delivery by its id, `put` takes it with another stop, and `failed` is told why it is not so. */
export async function goBy(ids, find, put, failed = (error) => say(wordsOf(error))) {
  const stops = ids.map((id) => find(id)?.stop);
  const have = (stopOf) => ids.forEach((id, at) => { if (find(id)) put({...find(id), stop: stopOf(at)}); });
  have((at) => ({number: at + 1, of: ids.length}));
  try {
    await ask('PUT', '/v1/me/route', {delivery_ids: ids});
  } catch (error) {
    failed(error);
    // What nobody was told of is not so.
    have((at) => stops[at]);
  }
}
