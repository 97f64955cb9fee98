// The board: what is to be done now, as rows that move as the deliveries do; what is over is folded below.
import {get} from './ask.js';
import {fullName, isSeen, moment} from './delivery.js';
import {longestSearch, statuses} from './lifecycle.js';
import {details} from './details.js';
import {edit, partnersChanged} from './editor.js';
import {h, newID, say, wordsOf} from './dom.js';
import {gathered} from './feed.js';
import {guide} from './guide.js';
import {keys} from './keys.js';
import {lists} from './lists.js';
import {t} from './words.js';

// Milliseconds after which it is worth a look that nobody has accepted.
const patience = 600_000;

// What is over.
const ended = ['delivered', 'cancelled'];

const isStranded = ({status, offered_count: left}) => status === 'pending' && left === 0;
const isUnaccepted = (one) => one.status === 'pending' && !isStranded(one) && Date.now() - Date.parse(one.created_at) > patience;
/** What needs a hand, most of all first. */
const needs = {stranded: isStranded, unaccepted: isUnaccepted};

export function board(region, {count}) {
  let words = '', open, need = null;
  // Whom nobody hears of, since all who could are off duty: only the answer to creating says so.
  const unheard = new Set();
  const columns = lists(statuses, {
    card, query: () => ({q: words}), empty: (status) => t(words ? 'nothingFound' : `none_${status}`), folded: ended,
    shows: (one) => !need || needs[need](one), mark: ({id}) => unheard.has(id), drawn,
  });
  const searched = gathered(() => {
    words = search.value.trim();
    columns.reload();
  }, 250);

  function card(delivery) {
    const {recipient, courier, offered_count: left, status} = delivery;
    const who = courier ? t(status === 'delivered' ? 'deliveredBy' : 'withCourier', {name: fullName(courier)}) : t('offeredTo', {count: left});
    const trouble = isStranded(delivery) ? t('stranded') : unheard.has(delivery.id) && status === 'pending' && t('nobodyOnDuty');
    return h('li', {}, h('button', {type: 'button', class: `card ${status}`, onclick: () => look(delivery.id)},
      moment(delivery.delivered_at ?? delivery.cancelled_at ?? delivery.created_at),
      h('strong', {}, fullName(recipient)), h('span', {class: 'street'}, recipient?.address ?? ''), h('span', {class: 'hint what'}, delivery.description),
      h('span', {class: trouble ? 'warning' : 'by'}, trouble ? `! ${trouble}` : status !== 'cancelled' && who)));
  }

  function look(id) {
    open?.close();
    open = details(columns.get(id), {changed: columns.put, closed: () => {
      if (open?.id === id) open = undefined;
      mark();
    }});
    mark();
  }

  /** The row that is shown beside. */
  function mark() {
    for (const row of region.querySelectorAll('li > .card')) {
      if (row.parentElement.dataset.key === open?.id) row.setAttribute('aria-current', 'true'); else row.removeAttribute('aria-current');
    }
  }

  function drawn() {
    const all = statuses.flatMap(columns.of);
    const found = Object.entries(needs).map(([name, applies]) => [name, all.filter(applies).length]).filter(([, number]) => number);
    if (need && !found.some(([name]) => name === need)) need = null;
    hand.replaceChildren(...found.map(([name, number]) => h('button', {type: 'button', class: 'chip', 'aria-pressed': String(need === name), onclick() {
      need = need === name ? null : name;
      columns.draw();
    }}, t(`need_${name}`, {count: number}))));
    hand.hidden = !found.length;
    count(found.find(([name]) => name === 'stranded')?.[1] ?? 0);
    if (columns.parts.every(({isLoaded}) => isLoaded) && !words) first.draw({all: all.length, delivered: columns.of('delivered').length});
    open?.show(columns.get(open.id));
    mark();
  }

  const create = () => edit(null, (made) => {
    if (made.nobody_on_duty) unheard.add(made.id);
    columns.put(made);
    say(t(made.nobody_on_duty ? 'createdUnheard' : 'created'));
  });
  const first = guide(create);
  const hand = h('p', {class: 'hand', role: 'group', 'aria-label': t('needsHand'), hidden: true});
  const search = h('input', {type: 'search', id: newID(), maxlength: longestSearch, oninput: searched, placeholder: t('search')});
  const filter = h('select', {id: newID(), onchange: () => {
    for (const {status, section} of columns.parts) section.hidden = filter.value !== '' && filter.value !== status;
  }}, ['', ...statuses].map((value) => h('option', {value}, t(value ? `status_${value}` : 'allStates'))));
  const sections = (areOver) => columns.parts.filter(({status}) => ended.includes(status) === areOver).map(({section}) => section);
  const letter = (key) => keys.areOn() && h('kbd', {'aria-hidden': 'true'}, key);
  region.append(
    h('div', {class: 'tools'}, h('button', {type: 'button', class: 'main', onclick: create}, t('newDelivery'), letter('N')),
      h('div', {class: 'field seek'}, h('label', {for: search.id, class: 'unseen'}, t('search')), search, letter('/')),
      h('div', {class: 'field'}, h('label', {for: filter.id, class: 'unseen'}, t('state')), filter)),
    hand, first.region, columns.problem, h('div', {class: 'columns'}, h('div', {}, sections(false)), h('div', {class: 'ended'}, sections(true))));
  columns.reload();
  // What nobody has accepted for long is so without anything that happens.
  const clock = setInterval(columns.draw, 30_000);
  const unlisten = keys.listen({
    n: create, '/': () => search.focus(), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  });

  function step(by) {
    const rows = Array.from(region.querySelectorAll('li > .card')).filter((row) => row.checkVisibility());
    const at = rows.indexOf(document.activeElement);
    rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  }

  return {
    leave() {
      clearInterval(clock);
      unlisten();
    },
    onFresh() {
      first.load();
      return columns.reload();
    },
    /** One that a notification tells of, as it is now. */
    async look(id) {
      try {
        columns.put(await get(`/v1/deliveries/${id}`));
        look(id);
      } catch (error) {
        say(wordsOf(error));
      }
    },
    hears: ['delivery', 'partner'],
    onEvent({type, delivery}) {
      if (type.startsWith('partner')) {
        first.load();
        partnersChanged();
      }
      if (!isSeen(delivery)) return;
      // Whether it is among what is searched for, the server knows.
      if (!words || columns.get(delivery.id)) columns.put(delivery);
      if (words) searched();
    },
  };
}
