// When something that is on its way is expected, where its courier says where it is.
import {moment} from './delivery.js';
import {isBehind} from './due.js';
import {h} from './element.js';
import {number, t, when} from './words.js';

/** The minute in which it is expected: what is more exact is no news. */
export const minuteOf = ({eta}) => eta?.at.slice(0, 16);

/** In a few signs, and whether that is too late. */
export function expected(delivery) {
  const {eta} = delivery;
  if (!eta) return '';
  const [time, isTooLate] = [when(eta.at), isBehind(delivery)];
  return h('span', {class: `left${isTooLate ? ' late' : ''}`, title: `${t('eta')} ${time}`},
    h('span', {'aria-hidden': 'true'}, isTooLate && '‼ ', `~${time}`), h('span', {class: 'unseen'}, `${t('eta')} ${time}`));
}

/** In words, with how far it is until then. */
export const arrival = ({eta}) => h('span', {}, `${t('eta')} `, moment(eta.at), ` · ${number(Math.round(eta.distance_m / 100) / 10)} km`);
