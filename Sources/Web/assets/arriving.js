// When something that is on its way is expected, where its courier says where it is.
import {moment} from './delivery.js';
import {isBehind} from './due.js';
import {h} from './element.js';
import {number, t, when} from './words.js';

// So many milliseconds after it was expected nobody knows any more.
const patience = 300_000;

/** How long ago it was expected, below 0 while it is yet to come. */
const over = ({eta}) => Date.now() - Date.parse(eta.at);

/** What is said of it: the minute in which it is expected, and for a while after it that it may come any moment. */
const stage = (delivery) => (over(delivery) < 0 ? 'ahead' : over(delivery) < patience ? 'now' : 'gone');

/** The minute in which it is expected, and what is said of it by now: what is more exact is no news. */
export const minuteOf = (delivery) => delivery.eta && `${delivery.eta.at.slice(0, 16)} ${stage(delivery)}`;

/** In a few signs, and whether that is too late. */
export function expected(delivery) {
  const {eta} = delivery;
  const said = eta && stage(delivery);
  if (!eta || said === 'gone') return '';
  if (said === 'now') return h('span', {class: `left${isBehind(delivery) ? ' late' : ''}`}, t('etaNow'));
  const [time, isTooLate] = [when(eta.at), isBehind(delivery)];
  return h('span', {class: `left${isTooLate ? ' late' : ''}`, title: `${t('eta')} ${time}`},
    h('span', {'aria-hidden': 'true'}, isTooLate && '‼ ', `~${time}`), h('span', {class: 'unseen'}, `${t('eta')} ${time}`));
}

/** In words, with how far it is until then; nothing where nobody knows. */
export function arrival(delivery) {
  const {eta} = delivery;
  const said = eta && stage(delivery);
  return eta && said !== 'gone' && h('span', {}, said === 'now' ? t('etaNow') : [`${t('eta')} `, moment(eta.at)], ` · ${number(Math.round(eta.distance_m / 100) / 10)} km`);
}
