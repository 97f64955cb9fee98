// The couriers that a store works with, and how it gains and loses them.
import {all, ask, get, post, Refusal} from './ask.js';
import {cancellations, fullName, moment, phoneLink, reliability} from './delivery.js';
import {confirmed, fill, h, loading, newID, openDialog, panel, say, wordsOf} from './dom.js';
import {gathered} from './feed.js';
import {form} from './form.js';
import {longestSearch} from './lifecycle.js';
import {t} from './words.js';

export function partners(region) {
  const couriers = h('ul', {class: 'rows'});
  const found = h('ul', {class: 'rows'});
  const sent = h('ul', {class: 'rows'});
  // Another click meanwhile would show the same invite twice.
  let isInviting = false;

  const showCouriers = () => loading(couriers, () => all('/v1/partners'), (items) => fill(couriers, items, courier, 'noPartners'));
  const showSent = () => loading(sent, () => all('/v1/invites'), (items) => fill(sent, items, invite, 'noInvites'));
  const showFound = () => {
    const q = search.value.trim();
    loading(found, () => (q ? some(q) : []), (items) =>
      (q ? fill(found, items, stranger, 'nothingFound') : found.replaceChildren()));
  };

  /** A page of a search may be short, or empty, and still have a next one. */
  async function some(q) {
    const items = [];
    for (let cursor; cursor !== null && items.length < 20;) {
      const page = await get('/v1/couriers', {partner: false, q, limit: 20, cursor});
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  const why = (person) => h('button', {type: 'button', 'aria-label': t('cancellationsOf', {name: fullName(person)}),
    onclick: () => openDialog(t('cancellationsOf', {name: fullName(person)}), cancellations(person.id))}, t('cancellations'));

  function courier(person) {
    return h('li', {}, h('div', {}, h('strong', {}, fullName(person)), h('p', {}, reliability(person.stats))),
      h('p', {class: 'actions'}, phoneLink(person.phone, fullName(person)), why(person),
        h('button', {type: 'button', class: 'danger', onclick: () => end(person),
          'aria-label': t('endPartnershipWith', {name: fullName(person)})}, t('endPartnership'))));
  }

  async function end(person, release = false) {
    const name = fullName(person);
    if (!(await confirmed(t('endPartnershipWith', {name}), t(release ? 'releaseWarning' : 'endWarning', {name}), t('endPartnership')))) return;
    try {
      await ask('DELETE', `/v1/partners/${person.id}${release ? '?release=true' : ''}`);
      say(t('partnershipEnded', {name}));
      showCouriers();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'deliveries_in_progress' && !release) return end(person, true);
      say(wordsOf(error));
    }
  }

  function stranger(person) {
    return h('li', {}, h('div', {}, h('strong', {}, fullName(person)), h('p', {}, reliability(person.stats))),
      h('p', {class: 'actions'}, why(person), h('button', {type: 'button', class: 'main', 'aria-label': t('inviteName', {name: fullName(person)}),
        onclick: () => send({courier_id: person.id}).catch((error) => say(wordsOf(error)))}, t('invite'))));
  }

  async function send(whom) {
    if (isInviting) return;
    isInviting = true;
    try {
      show(await post('/v1/invites', whom));
    } finally {
      isInviting = false;
    }
    showSent();
  }

  function invite(one) {
    const name = one.courier ? fullName(one.courier) : one.phone;
    const revoke = async () => {
      await ask('DELETE', `/v1/invites/${one.id}`).then(showSent, (error) => say(wordsOf(error)));
    };
    return h('li', {}, h('div', {}, h('strong', {}, name),
      h('p', {class: 'hint'}, t(`invite_${one.state}`), ' · ', moment(one.created_at))),
    one.state === 'live' && h('p', {class: 'actions'},
      h('button', {type: 'button', 'aria-label': t('showInviteOf', {name}), onclick: () => show(one)}, t('show')),
      h('button', {type: 'button', class: 'danger', 'aria-label': t('revokeInviteOf', {name}), onclick: revoke}, t('revoke'))));
  }

  /** The code, the link and the picture, to be shown or passed on. */
  function show({code, url, channel, expires_at: end}) {
    const write = async () => navigator.clipboard.writeText(url);
    const copy = h('button', {type: 'button', onclick: () => write().then(() => say(t('copied')), () => say(t('notCopied')))}, t('copyLink'));
    openDialog(t('theInvite'), h('p', {}, t(`sentBy_${channel}`)), h('p', {class: 'code'}, code),
      h('img', {class: 'qr', src: `/i/${code}/qr.svg`, alt: t('qrOf', {url}), width: 220, height: 220}),
      h('p', {}, h('a', {href: url}, url)), h('p', {class: 'hint'}, t('validUntil'), ' ', moment(end)), h('p', {class: 'actions'}, copy));
  }

  const search = h('input', {type: 'search', id: newID(), maxlength: longestSearch, oninput: gathered(() => showFound(), 250)});
  const number = {name: 'phone', label: t('phone'), type: 'tel', required: true, hint: t('phoneHint')};
  region.append(
    panel(t('yourCouriers'), couriers),
    panel(t('inviteSomebody'), form([number], t('inviteByNumber'), async ({phone}, element) => {
      await send({phone: phone ?? ''});
      element.reset();
    }),
      h('div', {class: 'field'}, h('label', {for: search.id}, t('searchDirectory')), search), found),
    panel(t('invitesSent'), sent));
  showCouriers();
  showSent();

  return {
    onFresh() { showCouriers(); showSent(); },
    hears: ['partner', 'cancellation'],
    onEvent() { showCouriers(); showSent(); },
  };
}
