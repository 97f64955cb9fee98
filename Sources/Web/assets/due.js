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

/** Whether it is carried, and could not be handed over. */
export const isFailed = ({status, attempts}) => status === 'in_progress' && attempts > 0;

/** From when on somebody could accept it. */
export const offeredAt = ({created_at: made, offer_at: at}) => (Date.parse(at) > Date.parse(made) ? at : made);

/** Whether nobody has accepted it for so many minutes. */
export const isOld = (delivery, minutes) => Date.now() - Date.parse(offeredAt(delivery)) > minutes * minute;

// Minutes after which what was wanted at once is late, though nobody has said until when.
const longest = 60;

/** Whether it is carried, was wanted as soon as possible, and has taken long for that. */
export const isSlow = (one) => one.status === 'in_progress' && !one.due_at && !isFailed(one) && isOld({...one, offer_at: one.pickup?.ready_at ?? one.offer_at}, longest);

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
