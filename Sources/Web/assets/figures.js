// What a shop's owner wants to see of the days that were.
import {areas} from './areas.js';
import {inTurn} from './ask.js';
import {bars, lines, rows, tile} from './chart.js';
import {fullName} from './delivery.js';
import {h, loading, newID} from './dom.js';
import {gathered} from './feed.js';
import {figuresOf, share} from './foot.js';
import {number, span, t} from './words.js';

const outcomes = ['delivered', 'cancelled', 'open'];
// Which change of a figure is a good one.
const more = 1, fewer = -1;
const medians = ['median_seconds_to_accept', 'median_seconds_to_deliver'];

export function figures(region) {
  const period = h('select', {id: newID(), value: '30', onchange: () => load()},
    [7, 30, 90].map((days) => h('option', {value: days}, t('lastDays', {count: days}))));
  const content = h('div', {class: 'charts'});
  region.append(h('div', {class: 'tools'}, h('div', {class: 'field'}, h('label', {for: period.id, class: 'unseen'}, t('period')), period), h('p', {class: 'hint'}, t('againstBefore'))), content);
  const byArea = areas();
  region.append(byArea.element);

  function load() {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    // Days as they are where the shop is, counted from noon so that summer time moves none.
    const today = new Date().toLocaleDateString('sv', {timeZone: zone});
    const day = (before) => new Date(Date.parse(`${today}T12:00Z`) - before * 86_400_000).toISOString().slice(0, 10);
    const query = {from: day(period.value - 1), to: day(0), time_zone: zone};
    return loading(content, () => figuresOf('/v1/stats', query), show);
  }

  function show({totals, before, days, couriers}) {
    const count = (name, wanted, label = `total_${name}`) => tile(t(label), number(totals[name]), change(totals[name], before[name], wanted, wanted === fewer && [totals.created, before.created]));
    const time = (name) => tile(t(name), span(totals[name]), change(totals[name], before[name], fewer));
    // What a shop asks first stands first: how many came, in time, and how fast.
    const first = [
      count('delivered', more), tile(t('onTime'), share(totals), totals.due ? [t('onTimeOf', {count: totals.on_time, due: totals.due}), before.due > 0 && ` · ${t('shareBefore', {share: share(before)})}`] : t('nothingDue')),
      time('median_seconds_to_deliver'),
    ];
    const rest = [
      count('created', 0), count('cancelled', fewer), count('returned', fewer), count('attempts', fewer, 'attempts'),
      time('median_seconds_to_accept'), time('median_seconds_at_store'),
    ];
    const open = Array.from(content.querySelectorAll('details'), (table) => table.open);
    const named = couriers.map((courier) => ({...courier, name: fullName(courier)}));
    content.replaceChildren(
      h('div', {class: 'tiles'}, first, rest),
      bars(t('deliveriesADay'), days, outcomes.map((name) => ({name, label: t(`outcome_${name}`)})), true),
      lines(t('timesADay'), days, medians.map((name) => ({name, label: t(name)})), (seconds) => number(seconds / 60), span),
      rows(t('perCourier'), named, ['delivered', 'in_progress', 'returned'].map((name) => ({name, label: t(`courier_${name}`)}))));
    // A table that is being read stays open.
    content.querySelectorAll('details').forEach((table, place) => { table.open = open[place]; });
  }

  // They are not asked anew before they are answered.
  const turn = inTurn();
  let isNext = false;

  function loadAll() {
    if (isNext) return;
    isNext = true;
    turn(() => {
      isNext = false;
      return Promise.all([load(), byArea.load()]);
    });
  }

  loadAll();
  const again = gathered(loadAll, 500);
  return {onFresh: again, hears: ['delivery'], onEvent: again, leave: byArea.leave};
}

/** How much it is now against the period before, and whether that is as `wanted`: of so many, where there is more of everything. */
function change(now, before, wanted, of) {
  if (before === null || now === null) return null;
  if (before === 0) return t(now === 0 ? 'asBefore' : 'noneBefore');
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) return t('asBefore');
  const grown = of && of[0] && of[1] ? now / of[0] - before / of[1] : percent;
  return h('span', {class: wanted * grown > 0 ? 'better' : wanted * grown < 0 ? 'worse' : ''}, t('changed', {percent: `${percent > 0 ? '+' : '−'}${Math.abs(percent)}`}));
}
