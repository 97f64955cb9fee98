// How far it is to where a courier goes next, as far as the phone knows where it is, and when it is expected at the door: texts that are
// reckoned anew while they stand there.
import {all, lasting} from './ask.js';
import {distance} from './distance.js';
import {isFailed} from './due.js';
import {h} from './element.js';
import {distanceTo, farFrom} from './whereabouts.js';
import {t, when} from './words.js';

let places = new Map();

/** Finds out where the stores are that one works for; it helps, and is no condition. */
export const learnPlaces = () => lasting('partners', () => all('/v1/partners'))
  .then((stores) => { places = new Map(stores.map(({id, location}) => [id, location])); }, () => {});

const jobs = new WeakMap();

/** Of an offer and of what is carried, what says how far it is to where one goes next for it. */
export function farness(job) {
  if (job.status === 'delivered') return '';
  const element = h('strong', {class: 'far-away'});
  jobs.set(element, job);
  reckon(element);
  return element;
}

/** Whether who carries it has still to fetch it. */
export const isToFetch = ({status, allowed_actions: may}) => status === 'in_progress' && may.includes('pick_up');

/** The place where it is fetched, if it is known. */
export const fetchedFrom = ({store, pickup}) => (pickup?.address ? pickup.location : places.get(store.id));

function reckon(element) {
  const job = jobs.get(element);
  const isFirst = job.status === 'pending' || isToFetch(job);
  const comes = !isFirst && !isFailed(job) && Date.parse(job.eta?.at) > Date.now() && `${t('eta')} ${when(job.eta.at)}`;
  const far = isFirst ? undefined : farFrom(job.recipient?.location);
  element.textContent = [isFirst ? distanceTo(fetchedFrom(job)) : far !== undefined && t('wayToDoor', {distance: distance(far)}), comes].filter(Boolean).join(' · ');
}

/** Has all of them in a region say what is so now. */
export const reckonAll = (region) => region.querySelectorAll('.far-away').forEach(reckon);
