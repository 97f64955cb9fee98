// Who is on duty, and how much of the store's each carries: what one asks before one offers anything.
import {fullName, signs} from './delivery.js';
import {h} from './dom.js';
import {t} from './words.js';

// How many are named.
const few = 8;

/** Fills a line by the couriers of the store and what is carried: each in its place, so that it is found there again. */
export function crewOf(line, couriers, carried) {
  const loads = Map.groupBy(carried, ({courier}) => courier?.id);
  const here = couriers.filter(({on_duty: isOn}) => isOn).map((courier) => ({name: fullName(courier), load: loads.get(courier.id)?.length ?? 0})).sort((one, other) => one.name.localeCompare(other.name));
  line.hidden = !here.length;
  line.replaceChildren(h('a', {href: '#/partners'}, t('onDutyNow', {count: here.length, free: here.filter(({load}) => !load).length})),
    ...here.slice(0, few).map(({name, load}) => h('span', {class: !load && 'free'}, name, load > 0 && h('span', {class: 'load'}, ` ${signs.in_progress} ${load}`))),
    here.length > few ? h('span', {}, `+${here.length - few}`) : '');
}
