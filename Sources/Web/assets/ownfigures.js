// What a courier earned and did: carried, given back, how far, for how much; day by day and store by store.
import {get, lasting} from './ask.js';
import {bars, tile} from './chart.js';
import {fill, h, loading, newID, panel} from './dom.js';
import {gathered} from './feed.js';
import {inCurrency, money, units} from './money.js';
import {short} from './short.js';
import {number, shortDay, t} from './words.js';

const series = () => ['carried', 'given_back'].map((name) => ({name, label: t(`own_${name}`)}));
const sums = (earnings) => earnings.map(money).join(' + ');
const way = (meters) => t('kilometres', {number: meters / 1000});

export function earnings(region, {part}) {
  const period = h('select', {id: newID(), onchange: () => load()},
    [1, 7, 30, 90].map((days) => h('option', {value: days, selected: String(days) === (part || '7')}, days === 1 ? t('today') : t('lastDays', {count: days}))));
  const content = h('div');

  const load = () => loading(content, () => lasting(`figures.${period.value}`, () =>
    get('/v1/me/stats', {days: period.value, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone})), show);

  function show({from, to, total, items}) {
    const list = h('ul', {class: 'rows'});
    fill(list, items.map((one) => ({id: `${one.day} ${one.store.id}`, ...one})), row, 'noEarnings');
    content.replaceChildren(
      h('div', {class: 'tiles'}, tile(t('own_earned'), sums(total.earnings) || '–'), total.cash?.length ? tile(t('cashGot'), sums(total.cash)) : '', tile(t('own_carried'), number(total.carried)),
        tile(t('own_distance'), way(total.distance_m), total.without_place ? t('withoutWay', {count: total.without_place}) : ''), tile(t('own_given_back'), number(total.given_back))),
      ...items.length && from !== to ? charts(daysOf(from, to, items), total.earnings) : [], panel(t('perStore'), ...short(list)));
  }

  /** What was earned, where all of it is of one currency, and what was carried. */
  const charts = (days, earned) => [earned.length === 1 && bars(t('earnedADay'), days, [{name: 'earned', label: t('own_earned')}], inCurrency(earned[0].currency)), bars(t('carriedADay'), days, series())].filter(Boolean);

  /** Every day once, whatever the stores. */
  function daysOf(from, to, items) {
    const days = [];
    for (let at = Date.parse(`${from}T12:00Z`); at <= Date.parse(`${to}T12:00Z`); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      const its = items.filter((one) => one.day === day);
      days.push({day, earned: its.flatMap(({earnings}) => earnings).reduce((sum, each) => sum + units(each), 0), carried: its.reduce((sum, one) => sum + one.carried, 0), given_back: its.reduce((sum, one) => sum + one.given_back, 0)});
    }
    return days;
  }

  const row = ({day, store, carried, given_back: back, distance_m: meters, earnings, cash}) => h('li', {},
    h('div', {}, h('strong', {}, store.name), h('p', {class: 'hint'}, [shortDay(day), t('deliveredCount', {count: carried}), meters > 0 && way(meters), back > 0 && `${t('own_given_back')} ${back}`, cash?.length > 0 && `${t('cashGot')} ${sums(cash)}`].filter(Boolean).join(' · '))),
    h('span', {class: 'earned'}, sums(earnings) || '–'));

  region.append(h('div', {class: 'tools'}, h('div', {class: 'field'}, h('label', {for: period.id, class: 'unseen'}, t('period')), period)), content);
  load();
  return {onFresh: load, hears: ['delivery'], onEvent: gathered(load, 500)};
}
