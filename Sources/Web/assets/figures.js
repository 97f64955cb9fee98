// What a shop's owner wants to see of the days that were.
import {areas} from './areas.js';
import {inTurn} from './ask.js';
import {bars, lines, rows, tile} from './chart.js';
import {change, fewer, judged, more, part} from './compared.js';
import {fullName} from './delivery.js';
import {nothing} from './empty.js';
import {h, loading, newID} from './dom.js';
import {gathered} from './feed.js';
import {figuresOf, share} from './foot.js';
import {hasDelivered} from './guide.js';
import {localDay, number, span, t} from './words.js';

const outcomes = ['delivered', 'cancelled', 'open'];
const medians = ['median_seconds_to_accept', 'median_seconds_to_deliver'];

export function figures(region) {
  const period = h('select', {id: newID(), value: '30', onchange() {
    // What stands there is of another time.
    for (const part of [content, byArea.element]) part.classList.add('stale');
    loadAll();
  }},
    h('option', {value: 'today'}, t('todayByYesterday')), h('option', {value: 'yesterday'}, t('yesterdayByBefore')),
    [7, 30, 90].map((days) => h('option', {value: days}, t('lastDays', {count: days}))));
  const content = h('div', {class: 'charts'});
  let isKnown = false;
  region.append(h('div', {class: 'tools'}, h('div', {class: 'field'}, h('label', {for: period.id, class: 'unseen'}, t('period')), period), h('p', {class: 'hint'}, t('againstBefore'))), content);
  const byArea = areas();
  region.append(byArea.element);

  function load(isOf) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    // Days as they are where the shop is, counted from noon so that summer time moves none.
    const today = localDay(Date.now());
    const day = (before) => new Date(Date.parse(`${today}T12:00Z`) - before * 86_400_000).toISOString().slice(0, 10);
    const [from, to] = {today: [0, 0], yesterday: [1, 1]}[period.value] ?? [period.value - 1, 0];
    const query = {from: day(from), to: day(to), time_zone: zone};
    return loading(content, () => figuresOf('/v1/stats', query), (found) => { show(found); isOf(content); });
  }

  function show({totals, before, days, couriers}) {
    const count = (name, wanted) => tile(t(`total_${name}`), number(totals[name]), change(totals[name], before[name], wanted));
    const rare = (name, label) => tile(t(label), number(totals[name]), part(totals[name], totals.created, before[name], before.created));
    const time = (name) => tile(t(name), span(totals[name]), change(totals[name], before[name], fewer));
    const onTime = () => [t('onTimeOf', {count: totals.on_time, due: totals.due}), ...before.due ? [' · ', judged(totals.on_time / totals.due, before.on_time / before.due, more, t('shareBefore', {share: share(before)}))] : []];
    // What a shop asks first stands first: how many came, in time, and how fast.
    const first = [
      count('delivered', more), tile(t('onTime'), share(totals), totals.due ? onTime() : t('nothingDue')),
      time('median_seconds_to_deliver'),
    ];
    const rest = [
      count('created', 0), rare('cancelled', 'total_cancelled'), rare('returned', 'total_returned'), rare('attempts', 'attempts'),
      time('median_seconds_to_accept'), time('median_seconds_at_store'),
    ];
    byArea.element.hidden = !totals.created && !before.created;
    // A store that is new has nothing to look back on; others have had quiet days.
    isKnown ||= !byArea.element.hidden || hasDelivered();
    region.classList.toggle('bare', !isKnown);
    if (byArea.element.hidden) return content.replaceChildren(isKnown ? nothing('div', t('nothingInTime')) : nothing('div', t('nothingYet'), t('figuresLater')));
    const open = Array.from(content.querySelectorAll('details'), (table) => table.open);
    const named = couriers.map((courier) => ({...courier, name: fullName(courier)}));
    content.replaceChildren(
      h('div', {class: 'tiles'}, first, rest),
      ...days.length > 1 ? [bars(t('deliveriesADay'), days, outcomes.map((name) => ({name, label: t(`outcome_${name}`)}))),
        lines(t('timesADay'), days, medians.map((name) => ({name, label: t(name)})), (seconds) => number(seconds / 60), span)] : [],
      rows(t('perCourier'), named, ['delivered', 'in_progress', 'returned'].map((name) => ({name, label: t(`courier_${name}`)}))));
    // A table that is being read stays open.
    content.querySelectorAll('details').forEach((table, place) => { table.open = open[place]; });
    return undefined;
  }

  // They are not asked anew before they are answered.
  const turn = inTurn();
  let isNext = false;

  function loadAll() {
    if (isNext) return undefined;
    isNext = true;
    return turn(() => {
      isNext = false;
      const {value: wanted} = period;
      const isOf = (part) => part.classList.toggle('stale', wanted !== period.value);
      return Promise.all([load(isOf), byArea.load(wanted, isOf)]);
    });
  }

  loadAll();
  const again = gathered(loadAll, 500);
  return {onFresh: loadAll, hears: ['delivery'], onEvent: again, leave: byArea.leave};
}
