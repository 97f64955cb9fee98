// The board: a store's deliveries, a column for each state, moving as they move.
import {get} from './ask.js';
import {badge, fullName, moment, statuses} from './delivery.js';
import {details} from './details.js';
import {edit} from './editor.js';
import {h, keep, newID, say, trouble, wordsOf} from './dom.js';
import {gathered} from './feed.js';
import {t} from './words.js';

export function board(region) {
  const known = new Map();
  const columns = Object.fromEntries(statuses.map((status) => [status, column(status)]));
  let words = '', open;

  function column(status) {
    const heading = newID();
    const list = h('ul', {class: 'cards', 'aria-labelledby': heading});
    const more = h('button', {type: 'button', hidden: true}, t('more'));
    const empty = h('p', {class: 'hint'}, t('loading'));
    const section = h('section', {class: `column ${status}`}, h('h2', {id: heading}, badge(status)), list, empty, more);
    const made = {status, section, list, more, empty};
    more.addEventListener('click', () => load(made, made.cursor));
    return made;
  }

  async function load(part, cursor) {
    try {
      const page = await get('/v1/deliveries', {status: part.status, q: words, limit: 50, cursor});
      part.cursor = page.next_cursor;
      if (!cursor) for (const [id, {status}] of known) if (status === part.status) known.delete(id);
      for (const delivery of page.items) known.set(delivery.id, delivery);
      part.isLoaded = true;
      problem.replaceChildren();
    } catch (error) {
      problem.replaceChildren(trouble(wordsOf(error), reload));
    }
    show();
  }

  const reload = () => Promise.all(Object.values(columns).map((part) => load(part)));
  const searched = gathered(reload, 250);

  function show() {
    for (const part of Object.values(columns)) {
      const items = Array.from(known.values()).filter(({status}) => status === part.status)
        .sort((one, other) => (one.id < other.id ? 1 : -1));
      keep(part.list, items, ({version}) => version, card);
      part.more.hidden = !part.cursor;
      part.empty.hidden = !part.isLoaded || items.length > 0;
      part.empty.textContent = t(words ? 'nothingFound' : `none_${part.status}`);
      part.section.hidden = filter.value !== '' && filter.value !== part.status;
    }
  }

  function card(delivery) {
    const {recipient, courier, candidates} = delivery;
    const left = candidates.filter(({state}) => state === 'offered').length;
    const who = courier ? t('withCourier', {name: fullName(courier)}) : t('offeredTo', {count: left});
    const isStranded = delivery.status === 'pending' && left === 0;
    return h('li', {}, h('button', {type: 'button', class: `card ${delivery.status}`, onclick: () => look(delivery.id)},
      h('span', {class: 'top'}, h('strong', {}, fullName(recipient)), moment(delivery.created_at)),
      h('span', {}, recipient.address), h('span', {class: 'hint'}, delivery.description),
      isStranded ? h('span', {class: 'warning'}, t('stranded')) : delivery.status !== 'cancelled' && h('span', {}, who)));
  }

  function look(id) {
    open = details(known.get(id), {changed, closed: () => { open = undefined; }});
  }

  /** A delivery as it is now. */
  function changed(delivery) {
    const old = known.get(delivery.id);
    if (old && old.version > delivery.version) return;
    known.set(delivery.id, delivery);
    if (open?.id === delivery.id) open.show(delivery);
    show();
  }

  const search = h('input', {type: 'search', id: newID(), oninput: () => { words = search.value.trim(); searched(); }});
  const filter = h('select', {id: newID(), onchange: show},
    [['', t('allStates')], ...statuses.map((status) => [status, t(`status_${status}`)])].map(([value, text]) => h('option', {value}, text)));
  const problem = h('div');
  region.append(
    h('div', {class: 'tools'},
      h('button', {type: 'button', class: 'main', onclick: () => edit(null, (made) => { changed(made); say(t('created')); })}, t('newDelivery')),
      h('div', {class: 'field'}, h('label', {for: search.id}, t('search')), search),
      h('div', {class: 'field'}, h('label', {for: filter.id}, t('state')), filter)),
    problem, h('div', {class: 'columns'}, Object.values(columns).map(({section}) => section)));
  reload();

  return {
    onFresh: reload,
    onEvent({delivery}) {
      if (!delivery?.recipient) return;
      // What is searched for is the server's to find.
      if (words) searched(); else changed(delivery);
    },
  };
}
