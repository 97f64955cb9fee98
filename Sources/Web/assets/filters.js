// What of the board is looked at: by day, courier and state, and what needs a hand; kept over a reload.
import {all, lasting} from './ask.js';
import {fullName} from './delivery.js';
import {placeOf} from './due.js';
import {h, newID} from './dom.js';
import {icon} from './icons.js';
import {openStatuses, statuses} from './lifecycle.js';
import {localDay, t} from './words.js';

const place = 'kurir.filters';

// How many of a courier's are looked for where that is wanted.
const enough = 20;

/** `needs` are conditions by name, one of which may be asked for; `changed` is told when something else is looked at, and whether that may be long ago. */
export function filters(needs, changed) {
  const kept = {need: null, state: '', courier: '', day: '', ...JSON.parse(localStorage.getItem(place) ?? '{}')};

  function set(values) {
    Object.assign(kept, values);
    localStorage.setItem(place, JSON.stringify(kept));
    draw();
    changed('day' in values || Boolean(values.courier));
  }

  const field = (name, control) => h('div', {class: `field by-${name}`}, h('label', {for: control.id, class: 'unseen'}, t(name)), control);
  const state = h('select', {id: newID(), onchange: () => set({state: state.value})},
    ['', ...statuses].map((value) => h('option', {value}, t(value ? `status_${value}` : 'allStates'))));
  const courier = h('select', {id: newID(), onchange: () => set({courier: courier.value})}, h('option', {value: ''}, t('everyCourier')));
  const day = h('select', {id: newID(), onchange: () => set({day: day.value === 'other' ? localDay(Date.now()) : day.value})},
    [['', 'allDays'], ['today', 'today'], ['other', 'otherDay']].map(([value, name]) => h('option', {value}, t(name))));
  const date = h('input', {type: 'date', 'aria-label': t('oneDay'), required: true, onchange: () => date.value && set({day: date.value})});
  let couriers = [];
  // On narrow screens they are unfolded by a button, which says when something is left out.
  const siftText = h('span');
  const sift = h('button', {type: 'button', class: 'sift', 'aria-expanded': 'false',
    onclick: () => sift.setAttribute('aria-expanded', String(sift.getAttribute('aria-expanded') === 'false'))}, icon('filter'), siftText);
  const parts = [sift, h('div', {class: 'field by-day'}, h('label', {for: day.id, class: 'unseen'}, t('oneDay')), day, date), field('courier', courier), field('state', state)];

  const wanted = () => (kept.day === 'today' ? localDay(Date.now()) : kept.day);

  function draw() {
    state.value = kept.state;
    courier.value = kept.courier;
    const isOther = kept.day && kept.day !== 'today';
    day.value = isOther ? 'other' : kept.day;
    date.hidden = !isOther;
    date.value = wanted();
    for (const control of [state, courier, day]) control.parentElement.classList.toggle('on', Boolean(control.value));
    const count = [kept.state, kept.courier, kept.day].filter(Boolean).length;
    sift.classList.toggle('on', count > 0);
    siftText.textContent = count ? `${t('sift')} · ${count}` : t('sift');
  }

  /** Has the couriers to choose from; who is no partner any more is none. */
  async function load() {
    const found = await lasting('partners', () => all('/v1/partners')).catch(() => null);
    if (!found) return;
    couriers = found;
    if (!couriers.some(({id}) => id === kept.courier)) kept.courier = '';
    courier.replaceChildren(h('option', {value: ''}, t('everyCourier')), ...couriers.map((one) => h('option', {value: one.id}, fullName(one))));
    draw();
    changed(false);
  }

  /** What is over belongs to the day on which that happened. */
  const dayOfDelivery = (one) => localDay(one.delivered_at ?? one.cancelled_at ?? placeOf(one));

  draw();
  load();
  return {
    parts, load,
    /** The store's couriers, as they were loaded last. */
    couriers: () => couriers,
    get need() { return kept.need; },
    /** Whether something is left out. */
    get isOn() { return Boolean(kept.state || kept.courier || kept.day); },
    get state() { return kept.state; },
    get courier() { return kept.courier; },
    turn: (need) => set({need: kept.need === need ? null : need}),
    /** What one of them brings, or all of it again. */
    only: (id) => set({courier: kept.courier === id ? '' : id}),
    clear: () => set({need: null, state: '', courier: '', ...kept.day && {day: ''}}),
    shows: (one) => (!kept.need || needs[kept.need](one)) && (!kept.state || one.status === kept.state)
      && (!kept.courier || one.courier?.id === kept.courier) && (!kept.day || dayOfDelivery(one) === wanted()),
    /** What is over needs nothing, unless its parcel is still out. */
    allows: (states) => (!kept.need || states.some((status) => openStatuses.includes(status)) || (kept.need === 'elsewhere' && states.includes('cancelled'))) && (!kept.state || states.includes(kept.state)),
    /** Whether what is looked at may stand behind these, which come latest first. */
    isBehind: (items, isCouriers) => (kept.day ? localDay(items.at(-1).created_at) >= wanted() : Boolean(kept.courier) && isCouriers && items.filter((one) => one.courier?.id === kept.courier).length < enough),
  };
}
