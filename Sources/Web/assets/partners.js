// The couriers that a store works with, and how it gains and loses them.
import {all, ask, get, inTurn, lasting, Refusal} from './ask.js';
import {cancellations} from './cancellations.js';
import {fullName, grouped, moment, onDuty, phoneLink, reliability, shareOf} from './delivery.js';
import {confirmed, fill, h, loading, newID, openDialog, panel, say, wordsOf} from './dom.js';
import {loadOf, loads} from './choose.js';
import {avatar} from './face.js';
import {gathered} from './feed.js';
import {icon} from './icons.js';
import {invite, numberForm, showInvite} from './invites.js';
import {longestSearch} from './lifecycle.js';
import {sharedPapers, standings, wants} from './papers.js';
import {noticed} from './push.js';
import {talkLink} from './talk.js';
import {t} from './words.js';

export function partners(region) {
  const couriers = h('ul', {class: 'rows'});
  const found = h('ul', {class: 'rows'});
  const sent = h('ul', {class: 'rows'});
  const more = h('button', {type: 'button', hidden: true, onclick: () => { pages += 1; showFound(); }}, t('more'));
  let pages = 1;

  const turn = inTurn();
  let people, loadFor = () => undefined;
  // Whose rare actions are shown: the list is drawn anew while somebody looks at it.
  const unfolded = new Set();

  const showCouriers = () => loading(couriers, () => lasting('partners', () => all('/v1/partners')), (items) => {
    people = items;
    region.classList.toggle('alone', !items.length);
    drawCouriers();
    noticed('partners');
  });
  /** On duty first, then who carries least. */
  const drawCouriers = () => fill(couriers, people.map((person) => ({...person, load: loadFor(person)}))
    .sort((one, other) => (other.on_duty ?? true) - (one.on_duty ?? true) || (one.load ?? 0) - (other.load ?? 0)), courier, 'noPartners');
  /** What they carry changes with each delivery. */
  const weigh = () => turn(async () => {
    loadFor = await loads();
    if (people) drawCouriers();
  });
  const showSent = () => loading(sent, () => all('/v1/invites'), (items) => fill(sent, items, sentInvite, 'noInvites'));
  const showFound = () => loading(found, some, ({items, cursor}) => {
    fill(found, items, stranger, 'nothingFound');
    more.hidden = !cursor;
  });

  /** The most reliable first, or whom a search finds. A page of a search may be short, or empty, and still have a next one. */
  async function some() {
    const [items, q] = [[], search.value.trim()];
    const limit = q ? 20 : 10;
    let cursor;
    while (cursor !== null && items.length < pages * limit) {
      const page = await get('/v1/couriers', {partner: false, q, sort: q ? undefined : 'reliability', limit, cursor});
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return {items: q ? items : items.sort((one, other) => shareOf(other.stats) - shareOf(one.stats)), cursor};
  }

  /** What somebody gave back, by a button that says so or shows a sign. */
  function why(person, style, shown) {
    const title = t('cancellationsOf', {name: fullName(person)});
    return h('button', {type: 'button', class: style, 'aria-label': title, title, onclick: () => openDialog(title, cancellations(person.id).list)}, shown);
  }

  /** Who somebody is, and what it shows of itself. */
  const known = (person, more) => h('div', {class: 'faced'}, avatar(fullName(person), person.picture), h('div', {},
    h('strong', {}, fullName(person)), more, h('p', {}, reliability(person.stats)), person.description && h('p', {class: 'said'}, person.description)));

  function courier(person) {
    const name = fullName(person);
    const rare = h('p', {class: 'actions rare', hidden: !unfolded.has(person.id)}, why(person, 'quiet', t('cancellations')),
      h('button', {type: 'button', class: 'quiet', 'aria-label': t('papersOf', {name}), onclick: () => sharedPapers(person.id, name)}, t('papers')),
      h('button', {type: 'button', class: 'danger', onclick: () => end(person),
        'aria-label': t('endPartnershipWith', {name})}, t('endPartnership')));
    const fold = h('button', {type: 'button', class: 'plain', 'aria-expanded': String(!rare.hidden), 'aria-label': `${t('detailsAndMore')}: ${name}`, title: t('detailsAndMore'), onclick() {
      rare.hidden = !rare.hidden;
      fold.setAttribute('aria-expanded', String(!rare.hidden));
      if (rare.hidden) unfolded.delete(person.id); else unfolded.add(person.id);
    }}, icon('more'));
    return h('li', {}, known(person, [h('p', {class: 'standing'}, onDuty(person), loadOf(person)), person.papers && h('p', {class: 'terms'}, standings(person.papers))]),
      h('p', {class: 'actions'}, talkLink(person.id, name), phoneLink(person.phone, name), fold), rare);
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
    return h('li', {}, known(person),
      h('p', {class: 'actions'}, why(person, 'plain', icon('more')), h('button', {type: 'button', 'aria-label': t('inviteName', {name: fullName(person)}),
        onclick: () => invite({courier_id: person.id}).then(showSent, (error) => say(wordsOf(error)))}, t('invite'))));
  }

  function sentInvite(one) {
    const name = one.courier ? fullName(one.courier) : grouped(one.phone);
    const revoke = async () => {
      await ask('DELETE', `/v1/invites/${one.id}`).then(showSent, (error) => say(wordsOf(error)));
    };
    return h('li', {}, h('div', {}, h('strong', {}, name),
      h('p', {class: 'hint'}, t(`invite_${one.state}`), ' · ', moment(one.created_at))),
    one.state === 'live' && h('p', {class: 'actions'},
      h('button', {type: 'button', 'aria-label': t('showInviteOf', {name}), onclick: () => showInvite(one)}, t('show')),
      h('button', {type: 'button', class: 'danger', 'aria-label': t('revokeInviteOf', {name}), onclick: revoke}, t('revoke'))));
  }

  const searched = gathered(() => {
    pages = 1;
    showFound();
  }, 250);
  const search = h('input', {type: 'search', id: newID(), maxlength: longestSearch, oninput: searched});
  region.append(
    h('div', {}, panel(t('yourCouriers'), couriers)),
    h('div', {}, panel(t('inviteSomebody'), h('p', {class: 'hint'}, t('inviteText')), numberForm(showSent, 'invite')), panel(t('invitesSent'), sent), wants(showCouriers)),
    h('div', {}, panel(t('directory'), h('div', {class: 'field'}, h('label', {for: search.id}, t('searchDirectory')), search), found, more)));
  showCouriers();
  showSent();
  showFound();
  weigh();
  const weighSoon = gathered(weigh, 2000);

  return {
    onFresh() {
      showCouriers();
      showSent();
      weigh();
    },
    hears: ['partner', 'cancellation', 'delivery'],
    onEvent({type}) {
      if (type.startsWith('delivery')) return weighSoon();
      showCouriers();
      showSent();
      showFound();
      dispatchEvent(new Event('partners'));
    },
  };
}
