// With whom a parcel still is that somebody else is to bring: fetched and given back, as the steps of its delivery tell.
import {get} from './ask.js';
import {isOpen} from './due.js';

/** Who has fetched it and is not the one who brings it any more, if anybody. */
export function keeperIn(steps) {
  let holder, keeper;
  for (const {action, actor} of steps) {
    if (action === 'pick_up') [holder, keeper] = [actor];
    else if (action === 'deliver') holder = keeper = undefined;
    else if (['cancel', 'reassign'].includes(action) && holder) [holder, keeper] = [undefined, holder];
  }
  return keeper;
}

// What is known of each: of which version of it, and which one was asked for.
const known = new Map();
// For how long it is worth a look whether what was cancelled has come back, in milliseconds.
const day = 86_400_000;
// What this device was told to be back, and how much of that is kept.
const place = 'kurir.back';
const most = 100;

const kept = () => JSON.parse(localStorage.getItem(place) ?? '[]');

/** Whether somebody has said here that it is back from whoever had it. */
export const isBack = (id, keeper) => kept().includes(`${id} ${keeper.id}`);

export const tellBack = (id, keeper) => localStorage.setItem(place, JSON.stringify([...kept(), `${id} ${keeper.id}`].slice(-most)));

const wentOut = (one) => one.picked_up_at || one.given_back_count > 0 || one.attempts > 0;

const mayBeElsewhere = (one) => (isOpen(one) ? !one.picked_up_at : one.status === 'cancelled' && Date.now() - Date.parse(one.cancelled_at) < day) && wentOut(one);

/** All that it went through, as far as that was looked at since it last changed. */
export function stepsOf({id, version}) {
  const {version: of, steps} = known.get(id) ?? {};
  return of === version ? steps : undefined;
}

/** The one who still has it, as far as that is known, unless it is who brings it. */
export function keeperOf(one) {
  const keeper = mayBeElsewhere(one) ? known.get(one.id)?.keeper : undefined;
  return !keeper || isBack(one.id, keeper) || (isOpen(one) && keeper.id === one.courier?.id) ? undefined : keeper;
}

/** Finds it out of those of which it may be so, which are few; `changed` is told when more is known. */
export function learnKeepers(deliveries, changed) {
  for (const {id, version} of deliveries.filter(mayBeElsewhere)) {
    const before = known.get(id);
    if (before?.asked === version) continue;
    known.set(id, {...before, asked: version});
    get(`/v1/deliveries/${id}/history`, {limit: 200}).then(({items}) => {
      known.set(id, {asked: version, version, steps: items, keeper: keeperIn(items)});
      changed();
    }, () => known.delete(id));
  }
}
