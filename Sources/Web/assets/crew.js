// Who is on duty or still carries something, and how much of the store's that is: what one asks before one offers anything.
import {fullName, shortName, signs} from './delivery.js';
import {h, keep} from './dom.js';
import {t} from './words.js';

// How many are named.
const few = 8;

/** Fills a line by the couriers of the store and what is carried: each in its place, so that it is found there again. A touch shows what one brings. */
export function crewOf(line, {couriers, courier: chosen, only}, carried) {
  const loads = Map.groupBy(carried, ({courier}) => courier?.id);
  const here = couriers().map((courier) => ({...courier, load: loads.get(courier.id)?.length ?? 0})).filter(({on_duty: isOn, load}) => isOn || load)
    .sort((one, other) => Boolean(other.on_duty) - Boolean(one.on_duty) || fullName(one).localeCompare(fullName(other)));
  const onDuty = here.filter(({on_duty: isOn}) => isOn), others = here.length - few;
  const count = {count: onDuty.length, free: onDuty.filter(({load}) => !load).length};
  line.hidden = !here.length;
  keep(line, [{id: 'all', ...count}, ...here.slice(0, few), others > 0 && {id: 'others', others}].filter(Boolean), (one) => JSON.stringify([one, one.id === chosen]), (one) => {
    if (one.id === 'all') return h('a', {href: '#/partners'}, t('onDutyNow', count));
    if (one.id === 'others') return h('span', {}, `+${others}`);
    return h('button', {type: 'button', class: one.load ? 'plain' : 'plain free', title: t('onlyHis', {name: fullName(one)}), 'aria-pressed': String(one.id === chosen), onclick: () => only(one.id)},
      !one.on_duty && [h('span', {'aria-hidden': 'true'}, '○ '), h('span', {class: 'unseen'}, `${t('isOffDuty')} `)], shortName(fullName(one)), one.load > 0 && h('span', {class: 'load'}, ` ${signs.in_progress} ${one.load}`));
  });
}
