// By when a delivery is to arrive, and how long it has waited: texts that go on counting while they stand there.
import {h} from './element.js';
import {openStatuses} from './lifecycle.js';
import {span, t, when} from './words.js';

const minute = 60_000;
export const isOpen = ({status}) => openStatuses.includes(status);

/** The place in a day's order: what has no time was wanted when it was made. */
export const placeOf = ({due_at: due, created_at: made}) => Date.parse(due ?? made);

/** Sorts by it. */
export const inTime = (one, other) => placeOf(one) - placeOf(other) || (one.id < other.id ? -1 : 1);

export const isLate = (delivery) => isOpen(delivery) && Date.parse(delivery.due_at) < Date.now();

/** Whether who carries it could not hand it over: what another has tried before is history. */
export const isFailed = ({status, attempts, last_attempt: last, accepted_at: since}) => status === 'in_progress' && attempts > 0 && !(Date.parse(last.at) < Date.parse(since));

/** From when on somebody could accept it. */
export const offeredAt = ({created_at: made, offer_at: at}) => (Date.parse(at) > Date.parse(made) ? at : made);

/** Whether nobody has accepted it for so many minutes. */
export const isOld = (delivery, minutes) => Date.now() - Date.parse(offeredAt(delivery)) > minutes * minute;

// Minutes within which what is wanted as soon as possible is to be there, once it may be fetched.
export const soonest = 45;

/** By when it is to be there: the minute that was said, or one that nobody calls soon any more. */
const wantedBy = (one) => Date.parse(one.due_at) || Math.max(Date.parse(offeredAt(one)), Date.parse(one.pickup?.ready_at) || 0) + soonest * minute;

/** Whether it is carried, was wanted as soon as possible, and has taken long for that. */
export const isSlow = (one) => one.status === 'in_progress' && !one.due_at && !isFailed(one) && wantedBy(one) < Date.now();

const minuteIn = (time) => Math.floor(time / minute);

/** Whether it is expected too late. By what is read: half a minute is not late. */
export const isBehind = (one) => Boolean(one.eta) && minuteIn(Date.parse(one.eta.at)) > minuteIn(wantedBy(one));

/** Whether it will be late, and is not yet. */
export const willBeLate = (one) => one.status === 'in_progress' && isBehind(one) && !isFailed(one) && !isLate(one) && !isSlow(one);

/** Each kind of text that counts: what it says now. */
const kinds = {
  /** Minutes that are left, or that it is late. */
  left(element, time) {
    const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
    const isOver = seconds < 0;
    element.className = isOver ? 'left late' : seconds < 900 ? 'left soon' : 'left';
    const size = span(Math.max(60, Math.abs(seconds)));
    element.replaceChildren(h('span', {'aria-hidden': 'true'}, `${isOver ? '‼ −' : '+'}${size}`),
      h('span', {class: 'unseen'}, t(isOver ? 'lateBy' : 'leftTill', {time: size})));
  },
  /** How long ago something was. */
  since(element, time) {
    element.textContent = span(Math.max(60, (Date.now() - Date.parse(time)) / 1000));
  },
};

function counting(kind, time) {
  const element = h('span', {'data-counts': kind, 'data-time': time});
  kinds[kind](element, time);
  return element;
}

export const since = (time) => counting('since', time);

/** The time by which it is wanted, with what is left as long as that counts. */
export const due = (delivery) => [
  h('time', {datetime: delivery.due_at}, when(delivery.due_at)), ' ', isOpen(delivery) && counting('left', delivery.due_at),
];

/** Lets the texts in a region go on; they stay the same elements, since somebody may just be pressing a button around them. */
export function tick(region) {
  for (const element of region.querySelectorAll('[data-counts]')) kinds[element.dataset.counts](element, element.dataset.time);
}
