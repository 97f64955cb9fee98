// The phone says where it is while its courier is on duty or carries something, and no more often than is worth the battery. It asks
// nobody for leave: that is asked in the settings, and where a courier looks at the map. What cannot be sent is not kept, since it is soon untrue.
import {remembered} from './account.js';
import {ask} from './ask.js';
import {distance, meters} from './distance.js';
import {say as tell} from './dom.js';
import {leaveToLocate, locate, watch} from './positions.js';
import {t} from './words.js';

const pace = 15_000;
// Milliseconds and metres within which a fix says where something was done, and within which one who lies still is still there.
const [fresh, near, lasting] = [120_000, 100, 600_000];
let known;

/** Where the phone is, if it says so to the store, too. */
export function here() {
  if (!known || known.accuracy_m > near || Date.now() - Date.parse(known.at) > fresh) return undefined;
  return {lat: Number(known.lat.toFixed(6)), lon: Number(known.lon.toFixed(6))};
}

/** Where it was lately, for who only looks around. */
export const lastPlace = () => (known && Date.now() - Date.parse(known.at) < lasting ? known : undefined);

/** How many metres a place is from the phone; nothing where it says so to nobody. */
export function farFrom(place) {
  const at = lastPlace();
  return at && place ? meters(at, place) : undefined;
}

/** The same in words. */
export function distanceTo(place) {
  const far = farFrom(place);
  return far === undefined ? '' : t('farFromYou', {distance: distance(far)});
}

/** Whether its courier is at work, as far as the phone knows. */
function isAtWork() {
  const account = remembered();
  if (account?.kind !== 'courier') return false;
  const {items = []} = JSON.parse(localStorage.getItem('kurir.jobs')) ?? {};
  return account.on_duty || items.some(({status}) => status === 'in_progress');
}

export async function sayWhere() {
  const leave = await leaveToLocate();
  let stop, last, sent = 0, quiet = 0, isTold = false;

  function say() {
    if (!last || Date.now() - sent < pace || Date.now() < quiet) return;
    const fix = last;
    last = undefined;
    sent = Date.now();
    ask('POST', '/v1/me/positions', {fixes: [fix]}).then(({refused}) => {
      if (refused.some(({code}) => ['future', 'stale'].includes(code))) tellOfClock();
    }, ({code}) => {
      // The server knows better who is on duty.
      if (code === 'not_on_duty') quiet = Date.now() + 4 * pace;
    });
  }

  /** Nobody sees where a phone is that does not know what time it is. */
  function tellOfClock() {
    if (!isTold) tell(t('clockWrong'));
    isTold = true;
  }

  function found(fix) {
    const isNews = !lastPlace();
    known = last = fix;
    if (isNews) dispatchEvent(new Event('located'));
    say();
  }

  function look() {
    const isWanted = leave.state === 'granted' && isAtWork();
    if (isWanted && !stop) {
      stop = watch(found);
    } else if (!isWanted && stop) {
      stop();
      stop = undefined;
      last = undefined;
    } else if (isWanted && Date.now() - sent > 2 * pace) locate(found);
    say();
  }

  leave.addEventListener('change', look);
  setInterval(look, pace / 3);
  look();
}
