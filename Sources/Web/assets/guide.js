// The first steps of a new store, until something has been delivered.
import {get} from './ask.js';
import {h, keep, redraw, say, unpressed} from './dom.js';
import {inviteByNumber} from './invites.js';
import {t} from './words.js';

const place = 'kurir.guided';

/** `create` opens the form of a delivery. `draw` is told of what the board knows: how many there are, and what was delivered. */
export function guide(create) {
  const list = h('ol', {class: 'steps'});
  const region = h('section', {class: 'panel guide', hidden: true}, h('h2', {}, t('guide')), list);
  // What is not known yet is not told: a step that is done would be shown as one to do.
  let isOver = Boolean(localStorage.getItem(place)), partners, invites, known;

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
      // A shop that has delivered for long is told nothing on a browser that is new.
      if (!region.hidden) say(t('guide_over'));
    }
    show();
  }

  function show() {
    region.hidden = isOver || !known || partners === undefined;
    if (region.hidden) return;
    const isDone = {invite: partners > 0, create: known.all > 0, watch: false};
    const steps = Object.keys(isDone).map((id) => ({id, isDone: isDone[id], note: id === 'invite' && invites > 0 ? 'guide_invited' : `guide_${id}Text`}));
    const next = steps.find((one) => !one.isDone);
    unpressed(list, () => redraw(() => keep(list, steps, (one) => JSON.stringify([one, one === next]), (one) => step(one, one === next))));
  }

  const acts = {invite: () => inviteByNumber(load), create};

  function step({id, isDone, note}, isNext) {
    return h('li', {class: isDone ? 'done' : isNext ? 'next' : '', 'aria-current': isNext && 'step'},
      h('h3', {}, isDone && h('span', {'aria-hidden': 'true'}, '✓ '), t(`guide_${id}`), isDone && h('span', {class: 'unseen'}, ` (${t('done')})`)),
      h('p', {class: 'hint'}, t(isDone ? `guide_${id}Text` : note)),
      acts[id] && !isDone && h('p', {class: 'actions'},
        h('button', {type: 'button', class: isNext ? 'main' : '', onclick: () => acts[id]()}, t(`guide_${id}`))));
  }

  load();
  return {region, draw, load};
}
