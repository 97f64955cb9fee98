// The first steps of a new store, until something has been delivered.
import {get} from './ask.js';
import {h} from './dom.js';
import {inviteByNumber} from './invites.js';
import {t} from './words.js';

const place = 'kurir.guided';

/** `create` opens the form of a delivery. `draw` is told of what the board knows: how many there are, and what was delivered. */
export function guide(create) {
  const list = h('ol', {class: 'steps'});
  const region = h('section', {class: 'panel guide', hidden: true}, h('h2', {}, t('guide')), list);
  let isOver = Boolean(localStorage.getItem(place)), partners = 0, invites = 0, known = {all: 0, delivered: 0};

  async function load() {
    if (isOver) return;
    try {
      const [{items: couriers}, {items: sent}] = await Promise.all([get('/v1/partners', {limit: 1}), get('/v1/invites', {limit: 1})]);
      [partners, invites] = [couriers.length, sent.length];
      show();
    } catch {
      // Whoever cannot be asked now is asked at the next occasion.
    }
  }

  function draw(what) {
    known = what;
    if (!isOver && known.delivered) {
      isOver = true;
      localStorage.setItem(place, 'yes');
    }
    show();
  }

  function show() {
    region.hidden = isOver;
    const steps = [
      ['invite', partners > 0, invites > 0 && 'guide_invited', inviteByNumber], ['create', known.all > 0, false, create],
      ['watch', false, false, null],
    ];
    const next = steps.findIndex(([, isDone]) => !isDone);
    list.replaceChildren(...steps.map(([name, isDone, note, act], at) =>
      h('li', {class: isDone ? 'done' : at === next ? 'next' : '', 'aria-current': at === next && 'step'},
        h('h3', {}, isDone && h('span', {'aria-hidden': 'true'}, '✓ '), t(`guide_${name}`), isDone && h('span', {class: 'unseen'}, ` (${t('done')})`)),
        h('p', {class: 'hint'}, t(!isDone && note ? note : `guide_${name}Text`)),
        act && !isDone && h('p', {class: 'actions'},
          h('button', {type: 'button', class: at === next ? 'main' : '', onclick: () => act()}, t(`guide_${name}`))))));
  }

  load();
  return {region, draw, load};
}
