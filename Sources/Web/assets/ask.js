// The one way to the API: JSON there and back, and pictures there. What is refused is a Refusal, what never arrived is Unreachable.
import {language, t} from './words.js';

/** What the API refused, in its own words. */
export class Refusal extends Error {
  constructor(status, problem, retryAfter) {
    super(problem?.detail ?? problem?.title ?? t('noGoodAnswer'));
    this.status = status;
    this.code = problem?.code ?? '';
    this.errors = problem?.errors ?? [];
    this.retryAfter = retryAfter;
  }

  /** Whether the same may be asked again as it is, and go well. */
  get isPassing() {
    return this.status >= 500 || this.status === 429 || this.status === 408 || this.code === 'request_in_progress';
  }
}

/** There is no connection, or nobody answers. */
export class Unreachable extends Error {}

const patience = 20_000;
// A picture takes its time where the connection is bad.
const patienceWithFiles = 120_000;
let whenSignedOut = () => {};
let visit = 0;

/** Somebody else works here from now on, or nobody: answers to what was asked before reach nobody any more. */
export function newVisit() { visit += 1; }

/** Tells visits apart. */
export const thisVisit = () => visit;

/** What happens when the session turns out to be over. */
export function onSignedOut(action) { whenSignedOut = action; }

export async function ask(method, path, body, {key, version} = {}) {
  const asker = visit;
  const headers = {'Accept-Language': language(), 'X-Requested-With': 'kurir'};
  const isFile = body instanceof Blob;
  if (body !== undefined) headers['Content-Type'] = isFile ? body.type : 'application/json';
  if (key) headers['Idempotency-Key'] = key;
  if (version) headers['If-Match'] = `"${version}"`;
  let answer, text;
  try {
    const signal = AbortSignal.timeout(isFile ? patienceWithFiles : patience);
    answer = await fetch(path, {method, headers, body: isFile ? body : body && JSON.stringify(body), signal});
    text = await answer.text();
  } catch {
    text = null;
  }
  if (asker !== visit) return new Promise(() => {});
  if (text === null) throw new Unreachable();
  const json = parsed(text);
  if (answer.ok) return json;
  const refusal = new Refusal(answer.status, json, Number(answer.headers.get('Retry-After')) || undefined);
  if (refusal.code !== 'unauthenticated') throw refusal;
  whenSignedOut();
  return new Promise(() => {});
}

export const get = (path, query) => ask('GET', withQuery(path, query));
export const post = (path, body, options) => ask('POST', path, body, options);

/** All items of a list, however many pages they are. */
export async function all(path, query) {
  const items = [];
  let cursor;
  do {
    const page = await get(path, {...query, limit: 200, cursor});
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return items;
}

const placeOf = (name) => `kurir.last.${name}`;

/** What was last loaded by that name, if anything. */
export const lastLoaded = (name) => JSON.parse(localStorage.getItem(placeOf(name)) ?? 'null');

/** What was last loaded by that name, where there is no connection to load it anew. */
export async function lasting(name, load) {
  try {
    const loaded = await load();
    localStorage.setItem(placeOf(name), JSON.stringify(loaded));
    return loaded;
  } catch (error) {
    const last = (error instanceof Unreachable || error.isPassing) && lastLoaded(name);
    if (last) return last;
    throw error;
  }
}

/** Does one thing after the other, in the order in which they were wanted: each then begins with what the one before it has made. */
export function inTurn() {
  let last = Promise.resolve(), asker = visit;
  return (act) => {
    // What another waits for is answered to nobody.
    if (asker !== visit) [last, asker] = [Promise.resolve(), visit];
    const done = last.then(act);
    last = done.catch(() => {});
    return done;
  };
}

/** A new Idempotency-Key. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Gives the same key as long as the same is sent: what is sent again after a lost answer takes effect once. */
export function keeper() {
  let key, sent;
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== sent) [key, sent] = [newKey(), text];
    return key;
  };
}

function withQuery(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
