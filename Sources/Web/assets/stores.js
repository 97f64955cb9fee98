// The stores that a courier works for, and the invites to others.
import {all, get, lasting, post} from './ask.js';
import {cancellations, moment, phoneLink, reliability} from './delivery.js';
import {fill, h, loading, panel, say} from './dom.js';
import {form} from './form.js';
import {t} from './words.js';

export function stores(region, {account}, code) {
  const partners = h('ul', {class: 'rows'});
  const invites = h('ul', {class: 'rows'});

  const store = ({name, address, phone}) =>
    h('li', {}, h('div', {}, h('strong', {}, name), h('p', {class: 'hint'}, address)), phoneLink(phone, name));
  const invite = ({store: {name}, created_at: at}) =>
    h('li', {}, h('div', {}, h('strong', {}, name), h('p', {class: 'hint'}, t('enterItsCode'))), moment(at));

  function load() {
    loading(partners, () => lasting('partners', () => all('/v1/partners')), (items) => fill(partners, items, store, 'noStores'));
    loading(invites, () => lasting('invites', () => get('/v1/invites', {limit: 50})), ({items}) =>
      fill(invites, items.filter(({state}) => state === 'live'), invite, 'noInvitesReceived'));
  }

  const field = {name: 'code', label: t('inviteCode'), required: true, value: code, hint: t('inviteCodeHint')};
  region.append(
    panel(t('joinStore'), form([field], t('join'), async (values, element) => {
      const {store: {name}} = await post('/v1/partners', values);
      element.reset();
      say(t('joined', {name}));
      load();
    })),
    panel(t('yourStores'), partners), panel(t('invitesReceived'), invites),
    panel(t('yourFigures'), h('p', {}, reliability(account.stats)), h('h3', {}, t('cancellations')), cancellations(account.id)));
  load();

  return {onFresh: load, onEvent({type}) { if (!type.startsWith('delivery.')) load(); }};
}
