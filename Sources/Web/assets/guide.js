// The first steps of a new store, until something has been delivered.
import {remembered} from './account.js';
import {get} from './ask.js';
import {badge} from './delivery.js';
import {h, say, wordsOf} from './dom.js';
import {icon} from './icons.js';
import {inviteByNumber} from './invites.js';
import {loaded} from './later.js';
import {drawSteps} from './steps.js';
import {t} from './words.js';

const kept = 'kurir.guided';
// What rows will be like.
const examples = [['11:50', 'Mia Matić', 'Ilica 14', 'Luka Lukić', 'delivered'], ['12:30', 'Iva Ivić', 'Vukovarska 5', '', 'pending'], ['12:45', 'Jan Perić', 'Savska 102', 'Ana Anić', 'in_progress']];

/** Whether the store has delivered something, as far as this browser knows. */
export const hasDelivered = () => Boolean(localStorage.getItem(kept));

/** `create` opens the form of a delivery. `draw` is told of what the board knows: how many there are, and what was delivered. */
export function guide(create) {
  const list = h('ol', {class: 'steps'});
  const where = () => loaded('placefield').then(({askWhere}) => askWhere(show), (error) => say(wordsOf(error)));
  const acts = {invite: () => inviteByNumber(load), create};
  // Distances and arrivals want it, and nothing waits for it.
  const place = h('p', {class: 'hint'}, t('guide_placeText'), ' ', h('button', {type: 'button', class: 'quiet', onclick: where}, t('guide_placeDo')));
  const region = h('section', {class: 'panel guide', hidden: true}, h('h2', {}, t('guide')), list, place,
    h('div', {class: 'ghost', 'aria-hidden': 'true'}, h('p', {class: 'hint'}, t('guide_rows')), examples.map(([time, name, street, by, status]) =>
      h('p', {class: status}, h('strong', {}, time), h('strong', {}, name), h('span', {}, street), h('span', {}, by), badge(status)))));
  // What is not known yet is not told: a step that is done would be shown as one to do.
  let isOver = hasDelivered(), partners, invites, known;

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
      localStorage.setItem(kept, 'yes');
      // A shop that has delivered for long is told nothing on a browser that is new.
      if (!region.hidden) return end();
    }
    return show();
  }

  /** What was done, and what goes on from here, until it is put away. */
  function end() {
    region.classList.add('over');
    region.replaceChildren(h('h2', {}, `✓ ${t('guide_over')}`), h('p', {class: 'hint'}, t('guide_next')),
      h('p', {class: 'actions'}, h('button', {type: 'button', onclick: () => inviteByNumber()}, t('inviteSomebody')),
        h('button', {type: 'button', class: 'plain', 'aria-label': t('close'), onclick: () => region.remove()}, icon('close'))));
  }

  function show() {
    if (region.classList.contains('over')) return;
    region.hidden = isOver || !known || partners === undefined;
    if (region.hidden) return;
    const isDone = {invite: partners > 0, create: known.all > 0, watch: false};
    place.hidden = Boolean(remembered()?.location);
    const isInvited = invites > 0 && !partners;
    drawSteps(list, Object.keys(isDone).map((id) => ({
      id, isDone: isDone[id], isWaiting: id === 'invite' && isInvited, title: t(`guide_${id}`), text: t(id === 'invite' && isInvited ? 'guide_invited' : `guide_${id}Text`), act: acts[id], verb: acts[id] && t(`guide_${id}Do`),
    })));
  }

  load();
  return {region, draw, load};
}
