// What a courier does goes out from here, and is kept until the server has answered: sent again with the same key, it
// takes effect once. It is kept by account, also over the end of a session.
import {newKey, post, thisVisit, Unreachable} from './ask.js';
import {remembered} from './account.js';
import {say, wordsOf} from './dom.js';
import {t} from './words.js';

const place = 'kurir.outgoing';
const nobody = {changed() {}, answered() {}};
let listener = nobody;
// The keys of what is under way, with the visit that began it: at its end nobody hears of the answer.
const underWay = new Map();

/**
 * Who is told: `changed` whenever there is other work, `answered` whenever some is over, with the delivery as it is since,
 * if the server has said so.
 */
export function listen(to) {
  listener = to;
  return () => { listener = nobody; };
}

/** What is on its way for that delivery, if anything. */
export const waiting = (id) => own().find((item) => item.id === id);

export const isSending = (item) => underWay.get(item.key) === thisVisit();

export function add(delivery, action, body = {}) {
  if (waiting(delivery.id)) return;
  const item = {key: newKey(), account: remembered().id, id: delivery.id, action, body};
  store([...kept(), item]);
  sendOne(item);
  send();
}

/** Sends all that waits, each for itself: what cannot go out holds up nothing else. */
export async function send() {
  await takeOver();
  for (const item of own()) if (!isSending(item)) sendOne(item);
}

/** What was accepted on a notification and has not gone out waits where the service worker could keep it. */
async function takeOver() {
  const shelf = await window.caches?.open(place);
  for (const request of await shelf?.keys() ?? []) {
    const item = await (await shelf.match(request))?.json();
    if (item && !kept().some(({key}) => key === item.key)) store([...kept(), item]);
    await shelf.delete(request);
  }
}

/** Sends one, and again, the more rarely the more often it failed, until the server has said what comes of it. */
async function sendOne(item, failures = 0) {
  underWay.set(item.key, thisVisit());
  listener.changed();
  let delivery, failure;
  try {
    delivery = await post(`/v1/deliveries/${item.id}/${item.action}`, item.body, {key: item.key});
  } catch (error) {
    failure = error;
  }
  underWay.delete(item.key);
  if (failure instanceof Unreachable || failure?.isPassing) {
    const pause = failure.retryAfter ?? Math.min(30, 2 ** failures);
    setTimeout(() => { if (waiting(item.id)?.key === item.key && !isSending(item)) sendOne(item, failures + 1); }, pause * 1000);
    return listener.changed();
  }
  say(failure ? wordsOf(failure) : t(`done_${item.action}`));
  over(item, delivery);
}

/** Sends it no more. Perhaps it has arrived and only the answer was lost: then the lists say so. */
export const takeBack = (item) => over(item);

function over(item, delivery) {
  store(kept().filter(({key}) => key !== item.key));
  listener.answered(delivery);
}

function kept() { return JSON.parse(localStorage.getItem(place) ?? '[]'); }

function own() {
  const account = remembered()?.id;
  return kept().filter((item) => item.account === account);
}

function store(items) {
  localStorage.setItem(place, JSON.stringify(items));
  listener.changed();
}

window.addEventListener('online', send);
// In another tab something was done.
window.addEventListener('storage', ({key}) => { if (key === place) listener.changed(); });
