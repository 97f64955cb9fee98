// What a courier gets for what it has delivered.
import {get} from './ask.js';
import {h} from './dom.js';
import {money} from './money.js';
import {t} from './words.js';

/** Sums by currency, as one reads them. */
function sums(items) {
  const all = new Map();
  for (const {amount, currency} of items) all.set(currency, (all.get(currency) ?? 0) + amount);
  return [...all].map(([currency, amount]) => money({amount, currency})).join(' + ');
}

/** A line of today, which says nothing as long as there is nothing. */
export function today() {
  const line = h('p', {class: 'today', role: 'status'});
  async function load() {
    const {items} = await get('/v1/me/earnings', {days: 1}).catch(() => ({items: null}));
    if (!items) return;
    const count = items.reduce((sum, {deliveries}) => sum + deliveries, 0);
    line.textContent = count ? `${t('today')}: ${t('deliveredCount', {count})} · ${sums(items)}` : '';
  }
  return {line, load};
}
