// One delivery, with what may be done with it and all that it went through.
import {all, get, keeper, lasting, post} from './ask.js';
import {arrival, minuteOf} from './arriving.js';
import {chooseOthers, mayTake, offerMore, takeBack} from './choose.js';
import {backSign, badge, collected, facts, failureOf, fullName, moment, phoneLink, history, reasonOf} from './delivery.js';
import {isUnplaced, punctuality} from './boardrow.js';
import {due, isFailed, isLate, isOpen, isSlow, offeredAt, willBeLate} from './due.js';
import {again, edit} from './editor.js';
import {h, loading, openBeside, openDialog, say, unpressed, wordsOf} from './dom.js';
import {form} from './form.js';
import {icon} from './icons.js';
import {isBack, keeperIn, stepsOf, tellBack} from './keeper.js';
import {loaded} from './later.js';
import {parcelOf} from './parcel.js';
import {money} from './money.js';
import {isGivenBack, isHeld, isIgnored, isStranded, isUnaccepted, isUnheard, needOf} from './offering.js';
import {linkOf, said, saidMark} from './recipient.js';
import {talkLink} from './talk.js';
import {mapLink} from './way.js';
import {span, t, when} from './words.js';

/** Who was told what: a list that is folded, and loaded when somebody wants to see it; `load` has an open one loaded anew. */
function noticesOf(id) {
  const list = h('ul', {class: 'rows'});
  const load = () => element.open && loading(list, () => Promise.all([loaded('notices'), all(`/v1/deliveries/${id}/notices`)]),
    ([{rows}, items]) => list.replaceChildren(...rows(items)));
  const element = h('details', {ontoggle: load}, h('summary', {}, t('notices')), list);
  return {element, load};
}

/** Opens it; `changed` gets it when something was done here, `created` a new one that goes the same way, `closed` is told at the end. */
export function details(delivery, {changed, created, closed}) {
  const content = h('div');
  const [got, still, giver, back] = [h('span'), h('div', {class: 'still'}), h('span'), h('p')];
  const gaveBack = new Set();
  const [past, notices] = [history(delivery.id, tellSteps), noticesOf(delivery.id)];
  // Where the board puts its map.
  const map = h('div', {class: 'map-slot'});
  // Made once, so that an open one stays so however often the rest is drawn.
  const [link, url] = linkOf(delivery, () => now.recipient?.phone);
  const dialog = openBeside(fullName(delivery.recipient), content);
  dialog.classList.add('wide');
  dialog.addEventListener('close', closed);

  let now, cameBack, shown, was, asking, isUnfolded = false, standsAlone = true;

  /** What its courier was given at the door, which may not be what was to be collected, who gave it back, and who has what nobody carries any more. */
  function tellSteps(steps) {
    got.textContent = collected(steps);
    const returns = steps.filter(({action, actor}) => action === 'cancel' && actor.kind === 'courier');
    const last = returns.at(-1);
    // Who could not hand it over is not asked why once more.
    const before = steps.slice(0, steps.indexOf(last)).findLast(({action, actor}) => ['accept', 'fail'].includes(action) && actor.id === last?.actor.id);
    const why = last?.reason && (last.reason === 'other' && before?.action === 'fail' ? failureOf(before.reason) : reasonOf(last.reason));
    for (const {actor} of returns) gaveBack.add(actor.id);
    tellCandidates(content, gaveBack);
    giver.textContent = last ? [last.actor.name || t('erasedCourier'), when(last.at), why].filter(Boolean).map((text) => ` · ${text}`).join('') : '';
    cameBack = last && last === steps.findLast(({action}) => ['accept', 'cancel', 'reassign'].includes(action)) ? last.at : undefined;
    content.querySelector('.course').replaceWith(course(now, cameBack));
    back.textContent = last ? `${backSign} ${t('wasGivenBack')}${giver.textContent}` : '';
    const fetcher = keeperIn(steps);
    const keeps = fetcher && !isBack(delivery.id, fetcher) && fetcher;
    const gotBack = () => {
      tellBack(delivery.id, keeps);
      changed(now);
      tellSteps(steps);
    };
    still.replaceChildren(...keeps ? [h('p', {}, `! ${t('stillHas', {name: keeps.name || t('erasedCourier')})}`),
      h('p', {class: 'actions'}, keeps.name && talkLink(keeps.id, keeps.name, delivery.id), h('button', {type: 'button', onclick: gotBack}, t('parcelBack')))] : []);
    markStill();
    if (!keeps?.name) return;
    // A former partner has no number any more.
    lasting('partners', () => all('/v1/partners')).then((partners) => {
      const {phone} = partners.find(({id}) => id === keeps.id) ?? {};
      if (phone) still.querySelector('.actions')?.prepend(phoneLink(phone, keeps.name, keeps.name.split(' ')[0]));
    }, () => {});
  }

  function show(current) {
    const state = current && `${current.version} ${saidMark(current)} ${minuteOf(current)} ${needOf(current)} ${tardy(current)}`;
    if (!current || state === shown) return;
    shown = state;
    // Who is asked about what it was before is told what it is now; what is being sent has its own answer.
    if (was && was !== current.status && asking?.open && !asking.querySelector('[aria-disabled]')) {
      asking.close();
      say([fullName(current.recipient), t(`status_${current.status}`), current.courier && fullName(current.courier)].filter(Boolean).join(' · '));
    }
    was = current.status;
    now = current;
    unpressed(content, () => draw(current));
  }

  function draw(current) {
    const hadFocus = content.contains(document.activeElement);
    const {recipient, courier, status} = current;
    const comes = !isFailed(current) && !willBeLate(current) && arrival(current);
    content.replaceChildren(
      h('p', {class: 'top'}, h('span', {}, badge(status), current.delivered_at && [' · ', punctuality(current)], comes && [' · ', comes]), current.reference && h('span', {class: 'hint'}, current.reference)), course(current, cameBack),
      ...trouble(current), current.proof?.pin && isOpen(current) ? secret(current) : '', ...said(current),
      facts([
        [t('due'), current.due_at ? h('span', {}, due(current)) : isOpen(current) && h('span', {}, t('due_now'), ' ', h('span', {class: 'hint'}, t('sinceTime', {time: when(current.created_at)})))],
        [t('address'), recipient && h('span', {}, mapLink(recipient), isUnplaced(current) && h('button', {type: 'button', class: 'unplaced', onclick: alone(current.id, (one) => edit(one, changed))}, icon('place'), t('mapPick')))],
        [t('phone'), recipient && (recipient.phone ? phoneLink(recipient.phone, fullName(recipient)) : t('notAvailable'))],
        [t('description'), current.description], [t('instructions'), current.instructions], [t('parcel'), parcelOf(current)],
        [t('cash'), isOpen(current) && current.cash && money(current.cash)], [t('cashGot'), status === 'delivered' && current.cash && got], [t('pay'), current.pay && money(current.pay)],
        [t('pickup'), source(current)],
        [t(isOpen(current) ? 'courier' : 'courierHead'), courier && h('span', {}, h('span', {class: 'where'}, fullName(courier)), ' ', phoneLink(courier.phone, fullName(courier)), ' ', writing(current))],
        [t('offerAt'), isHeld(current) && moment(current.offer_at)],
      ]),
      status === 'pending' ? candidates(current, gaveBack) : '', url, isOpen(current) && recipient?.location ? map : '', past.element, notices.element, buttons(current));
    past.load();
    notices.load();
    if (hadFocus) dialog.querySelector('button').focus();
  }

  /** To the courier's conversation: beside, where there is room, so that the board stays in sight. */
  function writing(current) {
    const {id, courier} = current;
    const link = talkLink(courier.id, fullName(courier), id);
    link.addEventListener('click', (event) => {
      if (!dialog.classList.contains('beside') || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      loaded('talkbeside').then(({talkBeside}) => talkBeside(current), (error) => say(wordsOf(error)));
    });
    return link;
  }

  /** Who still has it is told with what to do about it, or else by itself. */
  function markStill() { still.classList.toggle('trouble', standsAlone && still.hasChildNodes()); }

  /** What waits for the store's hand. */
  function trouble(current) {
    const {id, attempts, last_attempt: last, recipient, courier, allowed_actions: may} = current;
    // What waits for the same hand is said in one place.
    const waits = [isGivenBack, isStranded, isUnaccepted, isUnheard].some((is) => is(current));
    const late = !isFailed(current) && tardy(current) && `! ${tardy(current)}`;
    standsAlone = !waits && !late;
    markStill();
    const toRecipient = recipient && phoneLink(recipient.phone, fullName(recipient), recipient.first_name);
    const chosen = (name, open) => h('button', {type: 'button', class: 'main', onclick: alone(id, (one) => open(one, changed))}, t(name));
    const tried = attempts && [t('attempted', {count: attempts, reason: failureOf(last.reason)}), last.at && ` · ${when(last.at)}`];
    return [
      attempts && !isFailed(current) && !isStranded(current) && !isGivenBack(current) && h('p', {class: 'hint'}, tried),
      current.given_back_count > 0 && !isGivenBack(current) && !isStranded(current) && h('p', {class: 'hint'}, `${backSign} ${t('givenBackTimes', {count: current.given_back_count})}`, giver),
      isFailed(current) && h('div', {class: 'trouble'}, h('p', {}, '! ', tried),
        // Whom one asks now, and what one does if that is in vain.
        h('p', {class: 'actions'}, toRecipient, courier && phoneLink(courier.phone, fullName(courier), courier.first_name),
          courier && writing(current), may.includes('reassign') && h('button', {type: 'button', onclick: alone(id, (one) => takeBack(one, changed))}, t('do_reassign')))),
      !waits && late && h('div', {class: 'trouble'}, h('p', {}, late),
        courier && h('p', {class: 'actions'}, phoneLink(courier.phone, fullName(courier), courier.first_name), writing(current), toRecipient,
          isTakenBack(current) && h('button', {type: 'button', onclick: alone(id, (one) => takeBack(one, changed))}, t('do_reassign'))), still),
      waits && h('div', {class: 'trouble'}, late && h('p', {}, late),
        isGivenBack(current) ? h('p', {}, `${backSign} ${t('wasGivenBack')}`, giver)
          : h('p', {}, '! ', isStranded(current) ? t('nobodyLeft') : isUnheard(current) ? t('nobodyHears') : t('nobodySince', {time: when(offeredAt(current))})), isStranded(current) && back,
        // Whoever has not answered for long is asked once more, too.
        isGivenBack(current) && !isIgnored(current) ? chosen('offerMore', offerMore) : chosen('chooseOthers', chooseOthers), late && toRecipient && h('p', {class: 'actions'}, toRecipient), still),
      standsAlone && still,
    ].filter(Boolean);
  }

  /** What one most likely wants, within reach however long the rest is; what is rare stands behind a button, and what ends it last. */
  function buttons(current) {
    const {id, status, allowed_actions: may} = current;
    const button = (name, act, style = 'quiet') => h('button', {type: 'button', class: style, onclick: act}, t(name));
    const turn = (isNow) => more.setAttribute('aria-expanded', String(isUnfolded = isNow));
    const more = h('button', {type: 'button', class: 'plain', 'aria-expanded': String(isUnfolded), 'aria-label': t('moreViews'), title: t('moreViews'), onclick: () => turn(!isUnfolded)}, icon('more'));
    const isAsked = status === 'pending' && !isStranded(current) && !isGivenBack(current) && !isUnaccepted(current) && !isUnheard(current) && !isHeld(current);
    return h('div', {class: 'acts'}, h('p', {class: 'actions'},
      may.includes('edit') && isAsked && button('offerMore', alone(id, (one) => offerMore(one, changed)), 'main'),
      may.includes('edit') && button('edit', alone(id, (one) => edit(one, changed)), ''),
      status === 'delivered' && h('a', {class: 'button', href: `/proof/${id}`, target: '_blank'}, t('proof_title')),
      !isAsked && link, more), h('p', {class: 'actions rare', onclick: () => turn(false)},
      isAsked && link,
      may.includes('reassign') && !isFailed(current) && !isTakenBack(current) && button('do_reassign', alone(id, (one) => takeBack(one, changed))),
      button('again', alone(id, (one) => edit(null, created, again(one)))),
      may.includes('edit') && button('slip', alone(id, async (one) => (await loaded('slip')).printSlip(one))),
      may.includes('reopen') && button('do_reopen', () => reopen(id)),
      may.includes('cancel') && button('cancelDelivery', () => cancel(id), 'danger')));
  }

  /** Whom it is offered to, and its PIN, are told with the one delivery only. */
  const alone = (id, act) => async ({currentTarget: button}) => {
    if (button.hasAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    try {
      asking = await act(await get(`/v1/deliveries/${id}`));
    } catch (error) {
      say(wordsOf(error));
    }
    button.removeAttribute('aria-disabled');
  };

  function reopen(id) {
    const note = {name: 'note', label: t('note'), rows: 2, required: true, hint: t('reopenHint')};
    asked(id, 'reopen', t('do_reopen'), [h('p', {}, t('reopenWarning')), note], 'reopened', {});
  }

  function cancel(id) {
    const fields = [h('p', {}, t('cancelWarning')), now.picked_up_at && h('p', {}, t('cancelCarried', {name: fullName(now.courier)})), {name: 'reason', label: t('reason'), rows: 2}].filter(Boolean);
    asked(id, 'cancel', t('cancelDelivery'), fields, 'cancelledNow', {danger: true});
  }

  function asked(id, action, title, fields, said, options) {
    const key = keeper();
    asking = openDialog(title, form(fields, title, async (values) => {
      changed(await post(`/v1/deliveries/${id}/${action}`, values, {key: key(values)}));
      asking.close();
      say(t(said));
    }, {...options, cancel: () => asking.close()}));
  }

  show(delivery);
  // What its row said already stands there at once.
  const steps = stepsOf(delivery);
  if (steps) tellSteps(steps);
  // Beside the board nothing is folded above empty room.
  if (dialog.matches('.beside') && dialog.scrollHeight <= dialog.clientHeight) past.element.open = notices.element.open = true;
  return {id: delivery.id, show, close: () => dialog.close()};
}

/** How it keeps somebody waiting longer than was said, or will. */
function tardy(delivery) {
  const {due_at: until, accepted_at: since, eta} = delivery;
  if (isLate(delivery)) return t('isLate', {time: when(until)});
  if (isSlow(delivery)) return t('isSlow', {time: when(since)});
  return willBeLate(delivery) ? t(until ? 'isBehind' : 'isBehindNow', {time: when(eta.at), late: span((Date.parse(eta.at) - Date.parse(until ?? offeredAt(delivery))) / 1000)}) : '';
}

/** Whether another may well bring it sooner: what keeps somebody waiting and has not been fetched. */
const isTakenBack = (delivery) => Boolean(tardy(delivery)) && !delivery.picked_up_at && delivery.allowed_actions.includes('reassign');

/** The four steps of its way, as far as it has come and will go; what came back begins anew after that, and what was tried in vain goes on. */
function course(delivery, cameBack) {
  const {status, created_at: made, accepted_at: taken, picked_up_at: fetched, delivered_at: arrived, cancelled_at: ended} = delivery;
  const steps = [['create', made], ['return', status === 'pending' && cameBack], ['accept', taken], ['pick_up', fetched], ['fail', isFailed(delivery) && delivery.last_attempt.at], ended ? ['cancel', ended] : ['deliver', arrived]]
    .filter(([name, at]) => at || (isOpen(delivery) && !['return', 'fail'].includes(name)));
  const now = steps.findLast(([, at]) => at);
  return h('ol', {class: 'course'}, steps.map((step) => {
    const [name, at] = step;
    return h('li', {class: at ? `done ${name}` : '', 'aria-current': step === now && 'step'}, name === 'fail' ? failureOf(delivery.last_attempt.reason) : t(`did_${name}`), at && moment(at));
  }));
}

/** Where it is fetched, if not at the store's. */
const source = ({pickup}) => pickup && h('span', {}, pickup.address && mapLink(pickup),
  pickup.ready_at && ` ${t('readyFrom', {time: when(pickup.ready_at)})}`, pickup.instructions && h('span', {class: 'hint'}, ` ${pickup.instructions}`));

/** The PIN, large: the store says it by phone. */
function secret({id}) {
  const region = h('div', {class: 'pin'});
  loading(region, () => get(`/v1/deliveries/${id}`), ({pin}) => region.replaceChildren(
    h('span', {class: 'hint'}, t('pin')), h('strong', {}, pin ?? '–'), h('span', {class: 'hint'}, t('pinHint'))));
  return region;
}

/** Whom it is offered to, by name. */
function candidates(delivery, gaveBack) {
  const list = h('ul', {class: 'rows'});
  loading(list, () => Promise.all([all('/v1/partners'), get(`/v1/deliveries/${delivery.id}`)]), ([partners, {candidates: asked}]) => {
    const names = new Map(partners.map((courier) => [courier.id, fullName(courier)]));
    // Who may still take it comes first.
    list.replaceChildren(...asked.toSorted((one, other) => mayTake(other) - mayTake(one)).map(({courier_id: id, state}) =>
      h('li', {'data-courier': state === 'declined' && id}, h('span', {}, names.get(id) ?? t('formerPartner')), h('span', {class: 'hint'}, t(`candidate_${state}`)))));
    tellCandidates(list, gaveBack);
  });
  return h('section', {}, h('h3', {}, t('offeredToWhom')), list);
}

/** Who gave it back freely has not declined it; whoever is asked again is. */
function tellCandidates(place, gaveBack) {
  for (const one of place.querySelectorAll('[data-courier]')) if (gaveBack.has(one.dataset.courier)) one.lastElementChild.textContent = t('candidate_forfeited');
}
