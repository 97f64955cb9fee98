// A figure against the one of the period before.
import {h} from './dom.js';
import {number, t} from './words.js';

// Which change of a figure is a good one.
export const more = 1, fewer = -1;
// Of how many in a hundred a change is more than chance.
const telling = 5;

/** How much it is now against the period before, and whether that is as `wanted`. */
export function change(now, before, wanted) {
  if (before === null || now === null) return null;
  if (before === 0) return t(now === 0 ? 'asBefore' : 'noneBefore');
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) return t('asBefore');
  return judged(now, before, wanted, t('changed', {percent: `${percent > 0 ? '+' : '−'}${Math.abs(percent)}`}));
}

/** How many in a hundred of all deliveries what had better be rare was so for, and in the period before: there may be more of everything. */
export function part(count, all, before, allBefore) {
  const of = (some, whole) => Math.round((1000 * some) / whole) / 10;
  const percent = (value) => t('changed', {percent: number(value)});
  if (!all) return null;
  const now = of(count, all), then = allBefore && of(before, allBefore);
  return allBefore ? judged(now, then, fewer, `${percent(now)} · ${t('shareBefore', {share: percent(then)})}`) : percent(now);
}

/** Says in colour whether it is more as it was `wanted`, or fewer. */
export function judged(now, before, wanted, text) {
  const gain = Math.abs(now - before) * 100 < telling * before ? 0 : wanted * (now - before);
  return h('span', {class: gain > 0 ? 'better' : gain < 0 ? 'worse' : ''}, text);
}
