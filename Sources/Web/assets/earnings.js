// What a courier has delivered today, and what it gets for that: the door to all that it earned.
import {get, inTurn} from './ask.js';
import {h} from './dom.js';
import {money} from './money.js';
import {t} from './words.js';

/** A line of today, which says nothing as long as there is nothing. */
export function today() {
  const door = h('a', {href: '#/earnings', title: t('earnings')});
  const line = h('p', {class: 'today', role: 'status'}, door);
  // The server has figures of an account looked up by two at most at once.
  const oneByOne = inTurn();

  async function load() {
    const {total} = await get('/v1/me/stats', {days: 1, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone}).catch(() => ({}));
    if (!total) return;
    const {carried: count, earnings} = total;
    door.textContent = count ? `${t('today')}: ${[t('deliveredCount', {count}), earnings.map(money).join(' + ')].filter(Boolean).join(' · ')}` : '';
  }
  return {line, load: () => oneByOne(load)};
}
