// The board: a store's deliveries, a column for each state, moving as they move.
import {fullName, isSeen, moment} from './delivery.js';
import {longestSearch, statuses} from './lifecycle.js';
import {details} from './details.js';
import {edit} from './editor.js';
import {h, newID, say} from './dom.js';
import {gathered} from './feed.js';
import {lists} from './lists.js';
import {t} from './words.js';

export function board(region) {
  let words = '', open;
  const columns = lists(statuses, {
    card, query: () => ({q: words}), empty: (status) => t(words ? 'nothingFound' : `none_${status}`),
    drawn: () => open?.show(columns.get(open.id)),
  });
  const searched = gathered(() => {
    words = search.value.trim();
    columns.reload();
  }, 250);

  function card(delivery) {
    const {recipient, courier, offered_count: left, status} = delivery;
    const who = courier ? t(status === 'delivered' ? 'deliveredBy' : 'withCourier', {name: fullName(courier)}) : t('offeredTo', {count: left});
    const isStranded = status === 'pending' && left === 0;
    return h('li', {}, h('button', {type: 'button', class: `card ${status}`, onclick: () => look(delivery.id)},
      h('span', {class: 'top'}, h('strong', {}, fullName(recipient)), moment(delivery.created_at)),
      h('span', {}, recipient?.address ?? ''), h('span', {class: 'hint'}, delivery.description),
      isStranded ? h('span', {class: 'warning'}, t('stranded')) : status !== 'cancelled' && h('span', {}, who)));
  }

  function look(id) {
    open = details(columns.get(id), {changed: columns.put, closed: () => { open = undefined; }});
  }

  const create = () => edit(null, (made) => { columns.put(made); say(t('created')); });
  const search = h('input', {type: 'search', id: newID(), maxlength: longestSearch, oninput: searched});
  const filter = h('select', {id: newID(), onchange: () => {
    for (const {status, section} of columns.parts) section.hidden = filter.value !== '' && filter.value !== status;
  }}, ['', ...statuses].map((value) => h('option', {value}, t(value ? `status_${value}` : 'allStates'))));
  region.append(
    h('div', {class: 'tools'}, h('button', {type: 'button', class: 'main', onclick: create}, t('newDelivery')),
      h('div', {class: 'field'}, h('label', {for: search.id}, t('search')), search),
      h('div', {class: 'field'}, h('label', {for: filter.id}, t('state')), filter)),
    columns.problem, h('div', {class: 'columns'}, columns.parts.map(({section}) => section)));
  columns.reload();

  return {
    onFresh: columns.reload,
    hears: ['delivery'],
    onEvent({delivery}) {
      if (!isSeen(delivery)) return;
      // Whether it is among what is searched for, the server knows.
      if (!words || columns.get(delivery.id)) columns.put(delivery);
      if (words) searched();
    },
  };
}
