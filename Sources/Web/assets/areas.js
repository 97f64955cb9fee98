// A store's figures by area: on a map whose panel follows what is touched, and as a table that says the same without it.
import {remembered} from './account.js';
import {get} from './ask.js';
import {bars, tile} from './chart.js';
import {change, fewer, more, part} from './compared.js';
import {h, loading, panel, say} from './dom.js';
import {nothing} from './empty.js';
import {figuresOf} from './foot.js';
import {loaded} from './later.js';
import {number, shortDay, t} from './words.js';

const all = ['deliveries', 'delivered', 'returned', 'failed_attempts', 'median_minutes'];
// Which change is a good one; what is not here had better be rare.
const wanted = {deliveries: 0, delivered: more, median_minutes: fewer};
// How high and wide an area is, in degrees.
const [height, width] = [180 / 32768, 360 / 32768];

export function areas() {
  const place = h('div', {class: 'map', tabindex: '0'});
  const side = h('div', {class: 'area-side', 'aria-live': 'polite'});
  const mapped = h('div', {class: 'mapped'}, place, side);
  const content = h('div');
  const table = h('div', {class: 'scroll area-table', tabindex: '0', role: 'region', 'aria-label': t('byArea')});
  const folded = h('details', {}, h('summary', {}, t('asTable')), table);
  const element = panel(t('byArea'), content);
  let told, chosen = null, today, maps, map, drawn = [], isLeft = false;

  const dayBefore = (day) => new Date(Date.parse(`${day}T12:00Z`) - 86_400_000).toISOString().slice(0, 10);

  async function read(period) {
    const {lat, lon} = remembered()?.location ?? {};
    const query = {top: 50, near: lat === undefined ? undefined : `${lat},${lon}`};
    if (period === 'yesterday') {
      today ??= (await figuresOf('/v1/stats/areas', {days: 1, top: 3})).to;
      return figuresOf(`/v1/stats/days/${dayBefore(today)}`, query);
    }
    const answer = await figuresOf('/v1/stats/areas', {days: period === 'today' ? 1 : period, ...query});
    today = answer.to;
    return answer;
  }

  /** `isOf` is told of whatever shows that period now. */
  const load = (period, isOf) => loading(content, () => read(period), (answer) => {
    told = answer;
    isOf(element);
    if (!told.items.some(({cell}) => cell === chosen)) chosen = null;
    const {value: count, change: more} = told.total.deliveries;
    if (!count && !more) return content.replaceChildren(nothing('div', t('noAreas')));
    // Where nothing has a place, all of it is in the totals.
    const isPlaceless = told.items.length === 0;
    const hints = [isPlaceless && t('noAreas'), told.without_place && t('withoutPlace', {count: told.without_place})];
    place.hidden = isPlaceless;
    folded.open ||= isPlaceless;
    mapped.classList.toggle('alone', isPlaceless);
    content.replaceChildren(mapped, h('p', {class: 'hint'}, hints.filter(Boolean).join(' ')), folded);
    fillTable();
    show();
    return isPlaceless ? undefined : draw().catch(withoutMap);
  });

  /** The table has all of it, too. */
  function withoutMap() {
    place.hidden = folded.open = true;
    mapped.classList.add('alone');
    say(t('noMapNow'));
  }

  /** Follows what is touched; nothing means all of them. */
  function choose(cell) {
    chosen = cell;
    show();
    mark();
    for (const row of table.querySelectorAll('button')) row.setAttribute('aria-pressed', String(row.dataset.cell === cell));
  }

  function show() {
    const at = told.items.findIndex(({cell}) => cell === chosen);
    const figures = at < 0 ? told.total : told.items[at];
    const days = h('div');
    side.replaceChildren(h('h3', {}, at < 0 ? t('allAreas') : nameOf(told.items[at], at)), span(told),
      h('div', {class: 'tiles'}, all.map((name) => tile(t(`area_${name}`), value(name, figures[name].value), changed(name, figures)))), days,
      at >= 0 ? h('p', {class: 'actions'}, h('button', {type: 'button', onclick: () => choose(null)}, t('allAreas')))
        : told.items.length ? h('p', {class: 'hint'}, t('touchArea')) : '');
    if (at < 0 || told.from === told.to) return;
    const length = Math.round((Date.parse(told.to) - Date.parse(told.from)) / 86_400_000) + 1;
    loading(days, () => figuresOf(`/v1/stats/areas/${chosen}`, {days: length}), (one) => days.replaceChildren(bars(t('deliveriesADay'),
      one.days.map((day) => ({...day, open: day.deliveries - day.delivered})), ['delivered', 'open'].map((name) => ({name, label: t(`area_day_${name}`)})))));
  }

  const span = ({from, to}) => h('p', {class: 'hint'}, from === to ? shortDay(from) : `${shortDay(from)} – ${shortDay(to)}`);
  const nameOf = ({distance_m: far}, at) => t('areaNumber', {number: at + 1}) + (far === undefined ? '' : ` · ${t('kilometres', {number: far / 1000})}`);
  const value = (name, now) => (now === null ? '–' : name === 'median_minutes' ? t('minutes', {number: Math.round(now)}) : number(now));

  /** One of an area's figures against the one of before. */
  function changed(name, figures) {
    const now = (one) => figures[one].value, before = (one) => now(one) - figures[one].change;
    if (figures[name].change === null) return '';
    return name in wanted ? change(now(name), before(name), wanted[name]) : part(now(name), now('deliveries'), before(name), before('deliveries'));
  }

  function fillTable() {
    const cell = (name, figures) => h('td', {}, value(name, figures[name].value), figures[name].change ? h('span', {class: 'hint'}, ' ', changed(name, figures)) : '');
    table.replaceChildren(h('table', {}, h('caption', {class: 'unseen'}, t('byArea')),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, t('area')), all.map((name) => h('th', {scope: 'col'}, t(`area_${name}`))))),
      h('tbody', {}, told.items.map((area, at) => h('tr', {}, h('th', {scope: 'row'},
        h('button', {type: 'button', 'data-cell': area.cell, 'aria-pressed': String(area.cell === chosen), onclick: () => choose(area.cell === chosen ? null : area.cell)}, nameOf(area, at))),
      all.map((name) => cell(name, area))))),
      h('tfoot', {}, h('tr', {}, h('th', {scope: 'row'}, t('allAreas')), all.map((name) => cell(name, told.total))))));
  }

  async function draw() {
    if (!map) {
      const [about, module] = await Promise.all([get('/v1/about'), loaded('map')]);
      if (isLeft || map) return;
      maps = module;
      map = maps.makeMap(place, about.map, {label: t('mapOfAreas'), closer: t('mapCloser'), farther: t('mapFarther')});
      maps.touched(map, () => choose(null));
      map.on('zoomend resize', thin);
    }
    for (const one of drawn) one.remove();
    const most = told.items[0].deliveries.value;
    drawn = told.items.flatMap((area, at) => {
      const {cell, center: {lat, lon}, deliveries} = area;
      const bounds = [lat - height / 2, lon - width / 2, lat + height / 2, lon + width / 2];
      const act = () => choose(cell);
      const shape = maps.area(map, bounds, `of-${Math.max(1, Math.ceil((3 * deliveries.value) / most))}`, act);
      shape.cell = cell;
      return [shape, maps.sign(map, {lat, lon}, 'area', String(deliveries.value), `${nameOf(area, at)}: ${t('area_deliveries')} ${deliveries.value}`, act)];
    });
    maps.fit(map, told.items.flatMap(({center: {lat, lon}}) => [{lat: lat - height / 2, lon: lon - width / 2}, {lat: lat + height / 2, lon: lon + width / 2}]), {before: [8, 8], after: [8, 8]});
    mark();
    thin();
  }

  /** Where areas are smaller than a number their colour says it alone. */
  function thin() {
    const [side] = drawn.map((shape) => shape.cell && shape.getElement()?.getBoundingClientRect().width).filter(Boolean);
    place.classList.toggle('thin', side < 32);
  }

  function mark() {
    for (const shape of drawn) if (shape.cell) shape.getElement()?.classList.toggle('chosen', shape.cell === chosen);
  }

  return {
    element,
    /** The figures of `today`, `yesterday`, or so many days. */
    load,
    leave() {
      isLeft = true;
      map?.remove();
    },
  };
}
