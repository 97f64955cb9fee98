// Where couriers are: what a store is told as they move, and what a courier's own phone finds.
import {initials} from './delivery.js';
import {steady} from './stream.js';
import {t} from './words.js';

function seen({courier_id: id, first_name: first, last_name: last, position, last_seen: before}) {
  const name = [first, last].filter(Boolean).join(' ') || t('erasedCourier');
  const {lat, lon, at} = position ?? before;
  return [id, {lat, lon, at, name, sign: initials(name), isFresh: Boolean(position)}];
}

/** Tells of each courier that may be seen, and of each that may not any more, until it is closed. */
export const positions = (kind, changed) => (kind === 'store' ? ofStore(changed) : ofPhone(changed));

function ofStore(changed) {
  const shown = new Set();

  function put(id, courier) {
    if (courier) shown.add(id); else shown.delete(id);
    changed(id, courier);
  }

  // Who may still be seen is told anew.
  const opened = () => { for (const id of shown) put(id); };
  return {close: steady('/v1/positions', {position: (data) => put(...seen(data)), gone: (data) => put(data.courier_id)}, opened)};
}

function ofPhone(changed) {
  let last = '';
  function put({lat, lon, at}) {
    if (at < last) return;
    last = at;
    changed('me', {lat, lon, at, name: t('mapMe'), sign: '●', isFresh: true});
  }

  const close = watch(put);
  // Of a phone that lies still, a second watch hears nothing: where it is was found before, which may come after something newer.
  locate(put, undefined, Infinity);
  return {close};
}

const fixOf = ({coords, timestamp}) => ({
  lat: coords.latitude, lon: coords.longitude, accuracy_m: coords.accuracy, at: new Date(timestamp).toISOString(),
  speed_mps: coords.speed, heading: Number.isFinite(coords.heading) ? coords.heading : null,
});

/** Tells of each fix of this phone, and gives what ends that. Whoever is asked for the first time may say no. */
export function watch(found) {
  const number = navigator.geolocation?.watchPosition((position) => found(fixOf(position)), () => {}, {enableHighAccuracy: true, maximumAge: 30_000});
  return () => navigator.geolocation?.clearWatch(number);
}

// How long a phone may take to say where it is, and how long that is still where somebody is who only looks around, in milliseconds.
const patience = 10_000;
export const lately = 60_000;

/** Tells once where it is, or was no longer ago than that, or fails: a phone that lies still is told of by no watch. While a watch goes on
 * one that lies still may have nothing newer to say, so who needs nothing newer should not ask for it.
 */
export const locate = (found, failed = () => {}, maximumAge = 0) =>
  navigator.geolocation?.getCurrentPosition((position) => found(fixOf(position)), failed, {maximumAge, timeout: patience});

let leave;

/** Whether the phone may say where it is: `granted`, `denied` or `prompt`, with an event whenever that changes. */
export function leaveToLocate() {
  leave ??= navigator.permissions?.query({name: 'geolocation'}).catch(() => undefined) ?? Promise.resolve();
  return leave.then((known) => known ?? answered);
}

// Browsers that do not tell are taken at their last answer to whoever has asked.
const place = 'kurir.located';
const answered = new class extends EventTarget {
  get state() { return localStorage.getItem(place) ?? 'prompt'; }
}();

/** Asks for that. */
export function askToLocate() {
  const note = (state) => {
    localStorage.setItem(place, state);
    answered.dispatchEvent(new Event('change'));
  };
  locate(() => note('granted'), ({code}) => { if (code === 1) note('denied'); });
}
