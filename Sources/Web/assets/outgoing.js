// What a courier does goes out from here, and is kept until the server has answered: sent again with the same key, it
// takes effect once. It is kept by account, also over the end of a session.
import {newKey, post, Refusal, thisVisit, Unreachable} from './ask.js';
import {remembered} from './account.js';
import {say, wordsOf} from './dom.js';
import {t} from './words.js';

const place = 'kurir.outgoing';
const nobody = {changed() {}, answered() {}};
let listener = nobody;
let timer;
let failures = 0;
// The keys of what is under way, with the visit that began it: at its end nobody hears of the answer.
const underWay = new Map();

/** Who is told: `changed` whenever there is other work, `answered` whenever the server has said what came of some. */
export function listen(to) {
  listener = to;
  return () => { listener = nobody; };
}

/** What is on its way for that delivery, if anything. */
export const waiting = (id) => own().find((item) => item.id === id);

export const isSending = (item) => underWay.get(item.key) === thisVisit();

export function add(delivery, action, body = {}) {
  if (waiting(delivery.id)) return;
  store([...kept(), {key: newKey(), account: remembered().id, id: delivery.id, action, body}]);
  send();
}

/** Sends all that waits, each for itself: what cannot go out holds up nothing else. */
export async function send() {
  clearTimeout(timer);
  const waits = await Promise.all(own().filter((item) => !isSending(item)).map(sendOne));
  const wait = Math.max(0, ...waits);
  if (wait) timer = setTimeout(send, wait);
}

/** Gives for how long to wait before the next go, if there is to be one. */
async function sendOne(item) {
  underWay.set(item.key, thisVisit());
  listener.changed();
  let wait = 0;
  try {
    await post(`/v1/deliveries/${item.id}/${item.action}`, item.body, {key: item.key});
    failures = 0;
    over(item, t(`done_${item.action}`));
  } catch (error) {
    if (error instanceof Unreachable || error.isPassing) {
      wait = (error.retryAfter ?? Math.min(30, 2 ** failures++)) * 1000;
    } else if (error instanceof Refusal) {
      over(item, wordsOf(error));
    }
  }
  underWay.delete(item.key);
  listener.changed();
  return wait;
}

function over(item, words) {
  store(kept().filter(({key}) => key !== item.key));
  say(words);
  listener.answered();
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
