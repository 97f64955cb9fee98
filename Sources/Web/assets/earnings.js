// What a courier has delivered today, and what it gets for that: the door to all that it earned.
import {get, inTurn} from './ask.js';
import {h} from './dom.js';
import {money} from './money.js';
import {t} from './words.js';

/** A line of today, which says nothing as long as nobody knows. */
export function today() {
  const door = h('a', {href: '#/earnings/1', title: t('earnings')});
  const line = h('p', {class: 'today', role: 'status'}, door);
  // The server has figures of an account looked up by two at most at once.
  const oneByOne = inTurn();

  async function load() {
    const {total} = await get('/v1/me/stats', {days: 1, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone}).catch(() => ({}));
    if (!total) return;
    const {carried: count, earnings} = total;
    const sums = earnings.map(money).join(' + ');
    // In few signs where there is little room.
    door.replaceChildren(...[h('span', {class: 'roomy'}, `${t('today')}: ${t('deliveredCount', {count})}`), h('span', {class: 'tight', 'aria-hidden': 'true'}, h('span', {}, `${t('today')} `), `✓ ${count}`), sums && ` · ${sums}`].filter(Boolean));
  }
  return {line, load: () => oneByOne(load)};
}
