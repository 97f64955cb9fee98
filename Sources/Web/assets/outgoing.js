// What a courier does goes out from here, and is kept until the server has answered: sent again with the same key, it
// takes effect once. It is kept by account, also over the end of a session. Pictures go out before the step that they belong to.
import {newKey, post, thisVisit, Unreachable} from './ask.js';
import {remembered} from './account.js';
import {say, wordsOf} from './dom.js';
import * as shelf from './shelf.js';
import {t} from './words.js';

const place = 'kurir.outgoing';
// Milliseconds in which declining can be undone.
const grace = 10_000;
const nobody = {changed() {}, answered() {}, refused() { return false; }};
let listener = nobody;
// The keys of what is under way, with the visit that began it: at its end nobody hears of the answer.
const underWay = new Map();

/**
 * Who is told: `changed` whenever there is other work, `answered` whenever some is over, with what the server has answered, if
 * it has, and what was over. `refused` gets what the server does not take, and why, and says whether somebody is asked for it once more.
 */
export function listen(to) {
  listener = to;
  return () => { listener = nobody; };
}

/** What is on its way for that delivery, if anything. */
export const waiting = (id) => own().find((item) => item.id === id);

export const isSending = (item) => underWay.get(item.key) === thisVisit();

/** Whether somebody may still think better of it. */
export const isGraced = ({from}) => from > Date.now();

/** Everything of that kind that is on its way. */
export const all = (action) => own().filter((item) => item.action === action);

/** Does something that is no step of a delivery: posts it to that path. */
export function addTo(path, id, action, body = {}) {
  if (waiting(id)) return;
  const item = {key: newKey(), account: remembered().id, id, action, body, path};
  store([...kept(), item]);
  sendOne(item);
  send();
}

/** Does it; `pictures` are `{field, name}`, by the step's field and the shelf's name. */
export function add(delivery, action, body = {}, pictures = []) {
  if (waiting(delivery.id)) return;
  const item = {key: newKey(), account: remembered().id, id: delivery.id, action, body, pictures};
  if (action === 'decline') item.from = Date.now() + grace;
  store([...kept(), item]);
  sendOne(item);
  send();
}

/** Sends all that waits, each for itself: what cannot go out holds up nothing else. */
export async function send() {
  await takeOver();
  sweep();
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

/** Drops the pictures of what was given up. */
function sweep() {
  shelf.dropOthers(kept().flatMap(namesOf)).catch(() => {});
}

const namesOf = ({pictures = []}) => pictures.map(({name}) => name);

/** Sends one, and again, the more rarely the more often it failed, until the server has said what comes of it. */
async function sendOne(item, failures = 0) {
  if (isGraced(item)) {
    listener.changed();
    return later(item, 0, item.from - Date.now());
  }
  underWay.set(item.key, thisVisit());
  listener.changed();
  let delivery, failure;
  try {
    delivery = await sent(item);
  } catch (error) {
    failure = error;
  }
  underWay.delete(item.key);
  if (failure instanceof Unreachable || failure?.isPassing) {
    later(item, failures + 1, 1000 * (failure.retryAfter ?? Math.min(30, 2 ** failures)));
    return listener.changed();
  }
  const isAsked = failure?.status === 422 && listener.refused(item, failure);
  // Who does not want what is gone wants nothing.
  if (!isAsked && !(failure && item.action === 'decline')) say(failure ? wordsOf(failure) : t(`done_${item.action}`));
  over(item, delivery, isAsked);
}

const later = (item, failures, pause) => setTimeout(() => {
  const current = waiting(item.id);
  if (current?.key === item.key && !isSending(current)) sendOne(current, failures);
}, pause);

/** Sends the pictures, and then the step that names them. One that the server has dropped since is sent again, as something new. */
async function sent(item) {
  const body = {...item.body};
  let isOld = false;
  for (const {field, name} of item.pictures ?? []) {
    const picture = await shelf.find(name);
    if (!picture) continue;
    if (picture.file) isOld = true; else await upload(picture);
    if (field === 'signature_id') body[field] = picture.file; else (body[field] ??= []).push(picture.file);
  }
  try {
    return await post(item.path ?? `/v1/deliveries/${item.id}/${item.action}`, body, {key: item.key});
  } catch (error) {
    if (error.code !== 'unknown_file' || !isOld) throw error;
  }
  for (const {name} of item.pictures) {
    const picture = await shelf.find(name);
    await shelf.put({...picture, file: undefined, key: newKey()});
  }
  const before = item.key;
  item.key = newKey();
  underWay.delete(before);
  underWay.set(item.key, thisVisit());
  store(kept().map((one) => (one.key === before ? item : one)));
  return sent(item);
}

async function upload(picture) {
  const {id} = await post('/v1/files', picture.blob, {key: picture.key});
  picture.file = id;
  await shelf.put(picture);
}

/** Sends it no more. Perhaps it has arrived and only the answer was lost: then the lists say so. */
export const takeBack = (item) => over(item);

/** What is asked for once more still needs its pictures. */
function over(item, delivery, isAsked) {
  if (!isAsked && item.pictures?.length) shelf.drop(namesOf(item)).catch(() => {});
  store(kept().filter(({key}) => key !== item.key));
  listener.answered(delivery, item);
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
