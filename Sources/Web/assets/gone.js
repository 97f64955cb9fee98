// What the store cancelled or took back while it was carried: it stays as a row beneath what is in hand until somebody has seen it and puts it away.
import {backSign, fullName, phoneLink} from './delivery.js';
import {h, keep, unpressed} from './dom.js';
import {icon} from './icons.js';
import {mapLink, wayLink} from './way.js';
import {t} from './words.js';

const place = 'kurir.gone';

export function gone() {
  const list = h('ul', {class: 'cards'});
  const region = h('section', {class: 'column gone', 'aria-label': t('takenFromYou')}, list);
  let items = JSON.parse(localStorage.getItem(place) ?? '[]');

  function store(others) {
    items = others;
    localStorage.setItem(place, JSON.stringify(items));
    draw();
  }

  function card({id, recipient, store: {name, phone, address}, why, picked_up_at: fetched}) {
    const over = () => store(items.filter((one) => one.id !== id));
    const whose = fullName(recipient);
    // Who still has it has something to do.
    if (fetched) return h('li', {class: 'card bring'}, h('p', {class: 'fetch'}, `${backSign} ${t('bringBack')}`, ' ', h('span', {class: 'where'}, mapLink({address}))),
      h('p', {}, h('strong', {}, whose), ' · ', t(`gone_${why}`, {name})),
      h('p', {class: 'actions'}, wayLink({address}, name), phoneLink(phone, name), h('button', {type: 'button', class: 'done', 'aria-label': `${t('isBack')}: ${whose}`, onclick: over}, t('isBack'))));
    return h('li', {class: 'card cancelled'}, h('p', {}, h('strong', {}, '✕ ', whose), ' ', h('span', {class: 'warning'}, t(`gone_${why}`, {name}))), h('p', {class: 'hint'}, recipient?.address),
      h('p', {class: 'actions'}, phoneLink(phone, name), h('button', {type: 'button', 'aria-label': `${t('putAway')}: ${whose}`, title: t('putAway'), onclick: over}, icon('close'))));
  }

  function draw() {
    unpressed(list, () => keep(list, items, ({why}) => why, card));
    region.hidden = !items.length;
  }

  draw();
  return {
    region,
    /** A job as it was when it was carried, and how it went. */
    add(job, why) { store([{...job, why}, ...items.filter(({id}) => id !== job.id)]); },
    get: (id) => items.find((one) => one.id === id),
    /** It is carried again. */
    remove(id) { if (items.some((one) => one.id === id)) store(items.filter((one) => one.id !== id)); },
  };
}
