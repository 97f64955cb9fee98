// What a courier does goes out from here, one thing after the other, and is kept until the server has answered: sent
// again with the same key, it takes effect once.
import {newKey, post, Refusal, Unreachable} from './ask.js';
import {say, wordsOf} from './dom.js';
import {t} from './words.js';

const place = 'kurir.outgoing';
const nobody = {changed() {}, answered() {}};
let listener = nobody;
let timer;
let failures = 0;
let isUnderWay = false;

/** Who is told: `changed` whenever there is other work, `answered` of each delivery that came back, or null. */
export function listen(to) {
  listener = to;
  return () => { listener = nobody; };
}

/** What is on its way for that delivery, if anything. */
export const waiting = (id) => kept().find((item) => item.id === id);

export const isSending = () => isUnderWay;

export function add(delivery, action, body = {}) {
  if (waiting(delivery.id)) return;
  store([...kept(), {key: newKey(), id: delivery.id, action, body}]);
  if (!navigator.onLine) say(t('notSentYet'));
  send();
}

export async function send() {
  clearTimeout(timer);
  if (isUnderWay) return;
  isUnderWay = true;
  while (kept().length) {
    const wait = await sendOne(kept()[0]);
    if (wait) {
      timer = setTimeout(send, wait);
      break;
    }
  }
  isUnderWay = false;
  listener.changed();
}

/** Gives for how long to wait before the next go, if there is to be one. */
async function sendOne(item) {
  try {
    const delivery = await post(`/v1/deliveries/${item.id}/${item.action}`, item.body, {key: item.key});
    failures = 0;
    remove(item);
    say(t(`done_${item.action}`));
    listener.answered(delivery, item);
  } catch (error) {
    if (error instanceof Unreachable || error.isPassing) return (error.retryAfter ?? Math.min(30, 2 ** failures++)) * 1000;
    remove(item);
    say(wordsOf(error));
    if (error instanceof Refusal) listener.answered(null, item);
  }
  return 0;
}

function kept() { return JSON.parse(localStorage.getItem(place) ?? '[]'); }

function store(items) {
  localStorage.setItem(place, JSON.stringify(items));
  listener.changed();
}

function remove({key}) { store(kept().filter((item) => item.key !== key)); }

window.addEventListener('online', send);
