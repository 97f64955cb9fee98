// Charts as SVG, each with the same figures as a table for those who do not see it.
import {h, panel, s} from './dom.js';
import {localDay, number, shortDay, t} from './words.js';

const height = 208;
const edge = {left: 44, right: 8, top: 18, bottom: 24};
const depth = height - edge.top - edge.bottom;
// Pixels that the name of a day takes.
const named = 64;

const isOver = ({day}) => day < localDay(Date.now());

/** Stacked bars, one for each day. `format` says how much one of them is. */
export function bars(title, days, series, format = number) {
  const total = (day) => series.reduce((sum, {name}) => sum + day[name], 0);
  const scale = scaled(Math.max(2, ...days.map(total)));
  return figure(title, days, scale, number, (step) => days.map((day, place) => {
    let top = edge.top + depth;
    return s('g', {}, s('title', {}, `${shortDay(day.day)}: ${series.map(({name, label}) => `${label} ${format(day[name])}`).join(', ')}`),
      series.map(({name}) => {
        const size = (depth * day[name]) / scale;
        top -= size;
        return size > 0 && s('rect', {class: `fill ${name}`, x: edge.left + place * step + step * 0.1, y: top, width: step * 0.8, height: size});
      }));
  }), series, format);
}

/** Lines of seconds over the days; a day without any leaves a gap. `mark` is for the axis, `format` for the table. */
export function lines(title, days, series, mark, format) {
  // In whole minutes.
  const scale = 60 * scaled(Math.max(1, usual(days.flatMap((day) => series.map(({name}) => (day[name] ?? 0) / 60)))));
  const paths = (step) => series.flatMap(({name}) => {
    // A day that is not over says little beside others that are.
    const isKnown = days.some((day) => isOver(day) && day[name] !== null);
    const has = (day) => day && day[name] !== null && (isOver(day) || !isKnown);
    const at = (place) => [round(edge.left + (place + 0.5) * step), round(edge.top + depth * (1 - Math.min(1, days[place][name] / scale)))];
    // The day that is not over is no rise or fall.
    const goesOn = (place) => has(days[place]) && has(days[place - 1]) && isOver(days[place]);
    const path = days.map((day, place) => has(day) && `${goesOn(place) ? 'L' : 'M'}${at(place).join(' ')}`).filter(Boolean).join('');
    // A day that no line comes to or goes on from is a dot.
    const dots = days.map((day, place) => has(day) && !goesOn(place) && !goesOn(place + 1) && s('circle', {class: `fill ${name}`, cx: at(place)[0], cy: at(place)[1], r: 3.5}));
    return [path && s('path', {class: `line ${name}`, d: path}), ...dots];
  });
  const beyond = (step) => days.map((day, place) => {
    const most = Math.max(...series.map(({name}) => day[name] ?? 0));
    return most > scale && s('text', {x: Math.max(edge.left + 20, edge.left + (place + 0.5) * step), y: edge.top - 3, 'text-anchor': 'middle'}, `↑ ${mark(60 * Math.round(most / 60))}`);
  });
  return figure(title, days, scale, mark, (step) => [...paths(step), s('g', {class: 'axis'}, beyond(step))], series, format, lineSample);
}

/** One figure, large. */
export const tile = (name, value, changed) =>
  h('div', {class: 'tile'}, h('p', {class: 'hint'}, name), h('p', {class: 'big'}, value), changed && h('p', {class: 'hint'}, changed));

/** A bar for each of somebody's figures. */
export function rows(title, items, series) {
  const most = Math.max(1, ...items.map((item) => series.reduce((sum, {name}) => sum + item[name], 0)));
  const list = h('ul', {class: 'bars'}, items.map((item) => h('li', {}, h('span', {}, item.name),
    s('svg', {viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'}, stacked(item, series, most)),
    h('span', {class: 'hint'}, series.filter(({name}) => item[name] > 0).map(({name, label}) => `${label}\u00a0${item[name]}`).join(' · ')))));
  return panel(title, items.length ? list : h('p', {class: 'hint'}, t('nothingYet')));
}

function stacked(item, series, most) {
  let left = 0;
  return series.map(({name}) => {
    const size = (100 * item[name]) / most;
    left += size;
    return size > 0 && s('rect', {class: `fill ${name}`, x: left - size, y: 0, width: size, height: 10});
  });
}

/** What a legend shows: a block, or a piece of the line. */
const blockSample = (name) => s('svg', {viewBox: '0 0 10 10', class: 'swatch', 'aria-hidden': 'true'}, s('rect', {class: `fill ${name}`, width: 10, height: 10}));
const lineSample = (name) => s('svg', {viewBox: '0 0 24 10', class: 'swatch of-line', 'aria-hidden': 'true'}, s('path', {class: `line ${name}`, d: 'M0 5h24'}));

/** As wide as there is room for, and drawn anew when that changes, so that its words are as large as others. */
function figure(title, days, scale, mark, marks, series, format, sample = blockSample) {
  // What there is one of alone is what the title says.
  const legend = series.length > 1 && h('ul', {class: 'legend'}, series.map(({name, label}) => h('li', {}, sample(name), label)));
  const chart = s('svg', {class: 'chart', height, role: 'img', 'aria-label': `${title}. ${t('seeTable')}`});
  new ResizeObserver(([{contentRect: {width}}]) => {
    const step = Math.max(0, width - edge.left - edge.right) / days.length;
    chart.replaceChildren(axis(scale, mark, step * days.length), ticks(days, step), s('g', {}, marks(step)));
  }).observe(chart);
  return panel(title, legend, chart,
    h('details', {}, h('summary', {}, t('asTable')), h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title}, table(title, days, series, format))));
}

const table = (title, days, series, format) => h('table', {}, h('caption', {}, title),
  h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, t('oneDay')), series.map(({label}) => h('th', {scope: 'col'}, label)))),
  h('tbody', {}, days.map((day) => h('tr', {}, h('th', {scope: 'row'}, shortDay(day.day)), series.map(({name}) => h('td', {}, format(day[name])))))));

const axis = (scale, format, width) => s('g', {class: 'axis'}, [0, 0.5, 1].map((part) => {
  const y = edge.top + depth * (1 - part);
  return s('g', {}, s('path', {d: `M${edge.left} ${y}h${width}`}), s('text', {x: edge.left - 6, y: y + 4, 'text-anchor': 'end'}, format(scale * part)));
}));

/** As many days named as there is room for. */
function ticks(days, step) {
  const each = Math.ceil(named / Math.max(1, step));
  return s('g', {class: 'axis'}, days.map((day, place) => place % each === 0
    && s('text', {x: edge.left + (place + 0.5) * step, y: height - 6, 'text-anchor': 'middle'}, shortDay(day.day))));
}

/** The largest but for what is far beyond nearly all others: one bad day flattens no line, and is named where it leaves the chart. */
function usual(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const bound = 2.5 * sorted[Math.floor(0.8 * (sorted.length - 1))];
  return bound ? sorted.findLast((value) => value <= bound) : sorted.at(-1);
}

/** The next number that is easy to read at half and whole height. */
function scaled(most) {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 3, 4, 6, 8, 10].map((times) => times * unit).find((value) => value >= most && (value % 2 === 0 || value === 1));
}

const round = (value) => Math.round(value * 10) / 10;
