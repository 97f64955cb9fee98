// The stores that a courier works for, and the invites to others.
import {refreshed} from './account.js';
import {all, lasting, post} from './ask.js';
import {cancellations} from './cancellations.js';
import {moment, phoneLink, reliability} from './delivery.js';
import {fill, h, loading, panel, say, wordsOf} from './dom.js';
import {avatar} from './face.js';
import {form} from './form.js';
import {noticed} from './push.js';
import {inviteIn, scanInto} from './scan.js';
import {short} from './short.js';
import {talkLink} from './talk.js';
import {mapLink} from './way.js';
import {t} from './words.js';

/** Joins the store that has sent it, and says what came of that. */
export async function acceptInvite(id) {
  try {
    const {store: {name}} = await post(`/v1/invites/${id}/accept`);
    say(t('joined', {name}));
  } catch (error) {
    say(wordsOf(error));
  }
}

/** `invite` holds the code that a courier came with, until it is used. */
export function stores(region, {account}, invite) {
  const partners = h('ul', {class: 'rows'});
  const invites = h('ul', {class: 'rows'});
  const waiting = panel(t('invitesReceived'), invites);
  waiting.hidden = true;
  const own = h('div');
  const given = cancellations(account.id, true);

  const store = ({id, name, address, phone, picture, description}) =>
    h('li', {}, h('div', {class: 'faced'}, avatar(name, picture), h('div', {}, h('strong', {}, name), h('p', {class: 'hint'}, mapLink({address})),
      description && h('p', {class: 'said'}, description))), h('p', {class: 'actions'}, phoneLink(phone, name), talkLink(id, name)));
  const received = ({id, store: {name}, created_at: at, message}) =>
    h('li', {}, h('div', {}, h('strong', {}, name), message && h('p', {class: 'said'}, message), h('p', {class: 'hint'}, moment(at))),
      h('button', {type: 'button', class: 'main', 'aria-label': t('joinNamed', {name}), onclick: () => accept(id)}, t('join')));

  const accept = (id) => acceptInvite(id).then(load);

  function load() {
    loading(partners, () => lasting('partners', () => all('/v1/partners')), (items) => fill(partners, items, store, 'noStores'));
    loading(invites, () => lasting('invites', () => all('/v1/invites')), (items) => {
      const live = items.filter(({state}) => state === 'live');
      waiting.hidden = !live.length;
      invites.replaceChildren(...live.map(received));
      noticed('partners');
    });
    given.load();
    loading(own, () => lasting('me', refreshed), ({stats, rating}) => own.replaceChildren(reliability(stats),
      rating ? h('p', {class: 'hint'}, t('meanStars', {stars: rating.toLocaleString(undefined, {maximumFractionDigits: 1})})) : ''));
  }

  const field = {name: 'code', label: t('inviteCode'), required: true, value: invite.code, hint: t('inviteCodeHint')};
  region.append(
    waiting, panel(t('yourStores'), partners),
    panel(t('joinStore'), form([field, scanInto('code', t('scanInvite'), inviteIn)], t('join'), async (values, element) => {
      const {store: {name}} = await post('/v1/partners', values);
      invite.code = undefined;
      element.elements.code.value = '';
      say(t('joined', {name}));
      load();
    }, {draft: 'code'})),
    panel(t('yourReliability'), own, h('h3', {}, t('cancellations')), ...short(given.list)));
  load();

  return {onFresh: load, hears: ['partner', 'invite', 'delivery', 'cancellation'], onEvent: load};
}
