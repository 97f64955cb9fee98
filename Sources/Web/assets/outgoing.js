// What a courier does, and what anybody writes, goes out from here, and is kept until the server has answered: sent again with the same
// key, it takes effect once. It is kept by account, also over the end of a session. Pictures go out before what they belong to, what
// is written to somebody in the order in which it was, and what is done with a delivery in the order in which it was done.
import {newKey, post, thisVisit, Unreachable} from './ask.js';
import {remembered} from './account.js';
import {say as tell, wordsOf} from './dom.js';
import {loaded} from './later.js';
import * as shelf from './shelf.js';
import {t} from './words.js';

const place = 'kurir.outgoing';
// Milliseconds for which the server certainly knows a key.
const lasting = 23 * 3_600_000;
// What a message is among actions: of a conversation any number waits.
const saying = 'say';
// What is done with a delivery while this waits goes out behind it; behind anything else nothing is done.
const leading = 'pick_up';
// Milliseconds in which it can be undone: what others are told of, and cannot be untold.
const graces = {decline: 10_000, [leading]: 5000};
const nobody = {changed() {}, answered() {}, refused() { return false; }};
let listener = nobody;
// The keys of what is under way, with the visit that began it: at its end nobody hears of the answer.
const underWay = new Map();

/**
 * Who is told: `changed` whenever there is other work, `answered` whenever some is over, with the answer, if there is one, and what it
 * was: a delivery as it is since, or a message. `refused` gets what the server does not take, and why, and says whether somebody is asked for it once more.
 */
export function listen(to) {
  listener = to;
  return () => { if (listener === to) listener = nobody; };
}

/** What is on its way for that delivery, if anything; of several, the last. */
export const waiting = (id) => own().findLast((item) => item.id === id);

/** Whether something can be done with a delivery while that, or nothing, is on its way for it. */
export const leadsOn = (item) => !item || item.action === leading;

/** A delivery as it is once the server has heard that it was fetched: who hands it over does not wait for that. */
export function ahead(delivery) {
  const {at} = own().find((item) => item.id === delivery.id && item.action === leading) ?? {};
  return at ? {...delivery, picked_up_at: new Date(at).toISOString(), allowed_actions: delivery.allowed_actions.filter((action) => action !== leading)} : delivery;
}

/** What is on its way to that conversation, in order. */
export const unsaid = (id) => own().filter((item) => item.action === saying && item.id === id);

export const isSending = (item) => underWay.get(item.key) === thisVisit();

/** Whether somebody may still think better of it. */
export const isGraced = ({from}) => from > Date.now();

/** The deliveries that are out of their courier's hand, as far as the courier knows, and only that cannot be sent yet. */
export const done = () => new Set(own().filter((item) => ['deliver', 'fail', 'cancel'].includes(item.action) && !isSending(item)).map(({id}) => id));

/** How much has not gone out yet. */
export const unsent = () => own().filter(({refused}) => !refused).length;

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
  const before = waiting(delivery.id);
  if (!leadsOn(before) || before?.action === action) return undefined;
  hasten(before);
  const item = {key: newKey(), account: remembered().id, id: delivery.id, job: delivery, action, body, pictures, at: Date.now()};
  if (graces[action]) item.from = item.at + graces[action];
  store([...kept(), item]);
  if (!before) sendOne(item); else if (!isSending(before)) tell(t('keptForLater'));
  send();
  return item;
}

/** Fetches these. Others are told of it a moment later, within which a thumb that slipped undoes it. */
export function fetchAll(deliveries) {
  const items = deliveries.map((delivery) => add(delivery, leading)).filter(Boolean);
  const undo = () => { for (const {key, id} of items) if (own().some((one) => one.key === key && isGraced(one))) takeBack({key, id, action: leading}); };
  if (items.length) tell(t(`done_${leading}`), {verb: t('undo'), act: undo});
}

/** What one goes on from, or leaves behind, is not undone. */
function hasten(...items) {
  for (const item of items) {
    if (item?.action !== leading || !isGraced(item)) continue;
    delete item.from;
    keepAs(item);
    sendOne(item);
  }
}

/** Says something in a conversation, `after` a message by its number: the last that is known. */
export function say(conversation, body, pictures = [], after = undefined) {
  store([...kept(), {key: newKey(), account: remembered().id, id: conversation, action: saying, body, pictures, after}]);
  send();
}

/** Sends all that waits, each for itself: what cannot go out holds up nothing but what is written behind it. */
export async function send() {
  await takeOver();
  sweep();
  for (const item of own()) if (isNext(item) && !isSending(item)) sendOne(item);
}

/** What is sent next of a conversation or a delivery; what has been refused waits for somebody to put it away. */
const nextOf = (id) => own().find((item) => item.id === id && !item.refused);

const isNext = (item) => nextOf(item.id)?.key === item.key;

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
  const isFirst = !item.tried;
  item.tried ??= Date.now();
  keepAs(item);
  let answer, failure;
  try {
    answer = Date.now() - item.tried > lasting && await (await loaded('arrived')).answerTo(item) || await sent(item);
  } catch (error) {
    failure = error;
  }
  underWay.delete(item.key);
  if (failure instanceof Unreachable || failure?.isPassing) {
    // Whoever just did something sees it go from its place, and reads that it is not lost.
    if (isFirst && item.action !== saying && failure instanceof Unreachable) tell(t('keptForLater'));
    later(item, failures + 1, 1000 * (failure.retryAfter ?? Math.min(30, 2 ** failures)));
    return listener.changed();
  }
  if (failure && item.action === saying) return refuse(item, failure);
  const isAsked = failure?.status === 422 && listener.refused(item, failure);
  // Who does not want what is gone wants nothing.
  const isTold = item.action === saying || item.action === (failure ? 'decline' : leading);
  if (!isAsked && !isTold) tell(failure ? wordsOf(failure) : t(`done_${item.action}`), {isSeen: !failure && item.action === 'accept'});
  over(item, answer, isAsked);
}

/** What was written is not lost because it cannot be sent: it stays where it was written, with why. */
function refuse(item, failure) {
  tell(wordsOf(failure));
  keepAs({...item, refused: wordsOf(failure)});
  goOn(item.id);
}

/** Sends what was behind something that is over. */
function goOn(id) {
  const item = nextOf(id);
  if (item && !isSending(item)) sendOne(item);
}

const later = (item, failures, pause) => setTimeout(() => {
  const current = own().find(({key}) => key === item.key);
  if (current && !isSending(current)) sendOne(current, failures);
}, pause);

/** Sends the pictures, and then what names them. One that the server has dropped since is sent again, as something new. */
async function sent(item) {
  const body = {...item.body};
  let isOld = false;
  for (const {field, name} of item.pictures ?? []) {
    const picture = await shelf.find(name);
    if (!picture) continue;
    if (picture.file) isOld = true; else await upload(picture);
    if (field.endsWith('_ids')) (body[field] ??= []).push(picture.file); else body[field] = picture.file;
  }
  try {
    return await post(pathOf(item), body, {key: item.key});
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
  keepAs(item, before);
  return sent(item);
}

const pathOf = ({id, action, path}) => path ?? (action === saying ? `/v1/conversations/${id}/messages` : `/v1/deliveries/${id}/${action}`);

/** If the answer was lost, the server may have dropped it since, and says nothing more under that key: then it is sent as something new. */
async function upload(picture) {
  const sendIt = () => post('/v1/files', picture.blob, {key: picture.key});
  const {id} = await sendIt().catch(async (error) => {
    if (error.status !== 404) throw error;
    await shelf.put(Object.assign(picture, {key: newKey()}));
    return sendIt();
  });
  picture.file = id;
  await shelf.put(picture);
}

/** Sends it no more. Perhaps it has arrived and only the answer was lost: then the lists say so. */
export const takeBack = (item) => over(item);

/** What is asked for once more still needs its pictures. */
function over(item, answer, isAsked) {
  if (!isAsked && item.pictures?.length) shelf.drop(namesOf(item)).catch(() => {});
  const left = kept().filter(({key}) => key !== item.key);
  // What has not gone out yet is none of what has arrived.
  for (const one of left) if (answer && one.action === saying && one.id === item.id && !one.tried) one.after = answer.seq;
  store(left);
  listener.answered(answer, item);
  goOn(item.id);
}

function kept() { return JSON.parse(localStorage.getItem(place) ?? '[]'); }

function own() {
  const account = remembered()?.id;
  return kept().filter((item) => item.account === account);
}

/** Keeps something as it is now; it may have another key than before. */
const keepAs = (item, before = item.key) => store(kept().map((one) => (one.key === before ? item : one)));

function store(items) {
  localStorage.setItem(place, JSON.stringify(items));
  listener.changed();
  dispatchEvent(new Event('unsent'));
}

window.addEventListener('online', send);
// A phone that goes back into its pocket may not wake for long.
document.addEventListener('visibilitychange', () => { if (document.hidden) hasten(...own()); });
// In another tab something was done.
window.addEventListener('storage', ({key}) => { if (key === place) listener.changed(); });
