// A courier's card of a delivery: what there is to carry, whom to ask on the way, and the next step.
import {failureOf, fullName, phoneLink} from './delivery.js';
import {h} from './dom.js';
import {distance, meters} from './distance.js';
import {due, isFailed} from './due.js';
import {icon} from './icons.js';
import {money} from './money.js';
import {farness, fetchedFrom, isToFetch} from './nearness.js';
import * as outgoing from './outgoing.js';
import {parcelOf} from './parcel.js';
import {said} from './recipient.js';
import {handle} from './route.js';
import {talkLink} from './talk.js';
import {mapLink, streetOf, wayLink} from './way.js';
import {t, timeOf, when} from './words.js';

/** Cards and what stands on them. `look` opens a delivery, `ask` asks for what a step says, `isOneOfMany` is whether its place can be changed, and `putOff` goes to it last. */
export function jobCards({look, ask, isOneOfMany, putOff}) {
  function card(known) {
    const job = outgoing.ahead(known);
    const {recipient, status} = job;
    const isOver = status === 'delivered';
    const isFetchedFirst = goesToFetch(job);
    // It is opened wherever it is touched, but not by who just marks a text on it.
    return h('li', {class: `card ${status}${isFailed(job) ? ' urgent' : ''}${job.picked_up_at ? ' fetched' : ''}`, onclick: ({target}) => target.closest('a, button') || !getSelection().isCollapsed || look(job)},
      isFetchedFirst && h('p', {class: 'fetch'}, ...source(job)),
      h('div', {class: 'top'}, h('div', {}, h('h3', {}, fullName(recipient)),
        isOver ? h('time', {datetime: job.delivered_at}, timeOf(job.delivered_at)) : h('span', {class: 'by'}, job.due_at ? due(job) : [h('strong', {}, t('due_now')), ' ', h('span', {class: 'left'}, t('sinceTime', {time: when(job.created_at)}))])),
        isOneOfMany(job) && handle(fullName(recipient))),
      h('p', {class: 'street'}, mapLink(recipient, job.store.address)),
      job.instructions && h('p', {class: 'clamped'}, job.instructions),
      h('p', {class: job.instructions ? 'hint clamped' : 'clamped'}, job.description),
      ...isOver ? [] : [...terms(job), ...said(job)], !isFetchedFirst && h('p', {class: 'hint from'}, ...source(job)), h('p', {class: 'hint legs'}, farness(job), toDoor(job)),
      h('div', {class: 'foot'}, ...steps(job), h('p', {class: 'actions rest'}, ...status === 'in_progress' ? contacts(job) : [],
        h('button', {type: 'button', class: 'more', 'aria-haspopup': 'dialog', 'aria-label': `${t('detailsAndMore')}: ${fullName(recipient)}`,
          title: t('detailsAndMore'), onclick: () => look(job)}, icon('more')))));
  }

  /** Who is asked on the way. */
  const contacts = (job) => {
    const {id, recipient, store} = job;
    const way = goesToFetch(job) ? wayLink({...fetchedAt(job), location: fetchedFrom(job)}, store.name) : recipient && wayLink(recipient, fullName(recipient));
    return [way, recipient?.phone && phoneLink(recipient.phone, fullName(recipient), recipient.first_name), talkLink(store.id, store.name, id)];
  };

  const button = (job, action, style, act) => h('button', {type: 'button', class: style, onclick: act,
    'aria-label': `${t(`do_${action}`)}: ${fullName(job.recipient)}`}, t(`do_${action}`));

  /** The next step and the one beside it, or what was done and is not answered yet. */
  function steps(job) {
    const waiting = outgoing.waiting(job.id);
    return [waiting && !isUndoable(waiting) && unanswered(job, waiting), outgoing.leadsOn(waiting) && verbs(job)];
  }

  /** Whom one did not find is tried last: to give it back is rare, and stands with what is. */
  const mayWait = (job) => isFailed(job) && isOneOfMany(job);
  const offered = (job) => next(job).filter((action) => action !== 'cancel' || !mayWait(job));

  function verbs(job) {
    const act = {accept: () => outgoing.add(job, 'accept'), decline: () => outgoing.add(job, 'decline'), pick_up: () => outgoing.fetchAll([job])};
    return h('p', {class: 'actions verbs'}, h('span', {class: 'whom'}, (goesToFetch(job) ? [fullName(job.recipient), t('fromStore', {name: job.store.name}), streetOf(fetchedAt(job).address, job.store.address)]
      : [fullName(job.recipient), streetOf(job.recipient?.address, job.store.address)]).filter(Boolean).join(', ')), offered(job).map((action, at) =>
      button(job, action, at ? '' : 'main', act[action] ?? (() => ask(job, action)))), mayWait(job) && h('button', {type: 'button', onclick: () => putOff(job)}, t('putOff')));
  }

  /** Whether what was fetched is still undone where that was said. */
  const isUndoable = (item) => item.action === 'pick_up' && outgoing.isGraced(item);

  function unanswered(job, item) {
    const isGraced = outgoing.isGraced(item);
    const text = isGraced ? 'declinedForNow' : outgoing.isSending(item) ? 'isSending' : 'willBeSent';
    const verb = isGraced ? 'undo' : 'takeBack';
    return h('div', {class: 'unanswered'}, h('p', {class: isGraced ? 'hint' : 'warning', role: 'status'}, t(text, {action: t(`do_${item.action}`)})),
      !outgoing.isSending(item) && h('button', {type: 'button', class: 'quiet', 'aria-label': `${t(verb)}: ${fullName(job.recipient)}`, onclick: () => outgoing.takeBack(item)}, t(verb)));
  }

  /** What else may be done with what is carried. */
  const others = (job) => (!outgoing.leadsOn(outgoing.waiting(job.id)) ? [] : ['fail', 'cancel'].filter((action) =>
    job.status === 'in_progress' && job.allowed_actions.includes(action) && !offered(job).includes(action))
    .map((action) => button(job, action, action === 'cancel' ? 'danger' : '', () => ask(job, action))));

  return {card, steps, others};
}

/** Where it is fetched, if that is known. */
const fetchedAt = ({store, pickup}) => (pickup?.address ? pickup : store.address && store);

/** Whether who has it goes there next, and to the recipient only then. */
const goesToFetch = (job) => Boolean(isToFetch(job) && fetchedAt(job));

/** What one does next, and what stands beside it. */
function next(job) {
  const {status, allowed_actions: may, picked_up_at: fetched} = job;
  const steps = status === 'pending' ? ['accept', 'decline'] : isFailed(job) ? ['deliver', 'cancel'] : fetched ? ['deliver', 'fail'] : ['pick_up', 'deliver'];
  return steps.filter((action) => may.includes(action));
}

/** What the courier gets for it. */
const payOf = ({pay}) => pay && h('span', {class: 'term pay'}, t('youGet', {amount: money(pay)}));

/** How often it could not be handed over, and why. */
const triedSoFar = ({attempts, last_attempt: last}) => t('attempted', {count: attempts, reason: failureOf(last.reason)});

/** What must be shown at the door. */
const wantsOf = ({proof = {}}) => ['pin', 'photo', 'signature'].filter((name) => proof[name]).map((name) => t(`wants_${name}`)).join(' · ');

/** What there is to carry, and what it is about in money; nothing where there is nothing to say. */
export function terms(job) {
  const {cash, attempts} = job;
  const wanted = wantsOf(job);
  const chips = [
    payOf(job), cash && h('span', {class: 'term cash'}, t('collect', {amount: money(cash)})),
    parcelOf(job) && h('span', {class: 'term'}, parcelOf(job)), wanted && h('span', {class: 'term wants'}, wanted),
  ].filter(Boolean);
  return [
    chips.length && h('p', {class: 'terms'}, chips),
    attempts && h('p', {class: 'tried'}, isFailed(job) ? [h('strong', {class: 'warning'}, `! ${triedSoFar(job)}`), ` ${t('triedWhatNow')}`] : h('span', {class: 'hint'}, triedSoFar(job))),
  ].filter(Boolean);
}

/** What stands behind a dot, or on a line of its own. */
const apart = (name, what) => h('span', {class: name}, h('span', {'aria-hidden': 'true'}, ' · '), what);

/** How long the way is from where it is fetched, as long as that is to be done. */
export function toDoor(job) {
  const [from, to] = [fetchedFrom(job), job.recipient?.location];
  return (job.status === 'pending' || isToFetch(job)) && from && to && h('span', {class: 'door'}, t('wayToDoor', {distance: distance(meters(from, to))}));
}

/** Where it comes from: the store, or where else it is fetched. */
export function source(job) {
  const {store, pickup, status, picked_up_at: fetched} = job;
  if (fetched && status === 'in_progress') return [h('span', {class: 'badge in_progress'}, `✓ ${t('fetchedAt', {time: when(fetched)})}`), ' · ', t('fromStore', {name: store.name})];
  const at = fetchedAt(job);
  return [t('fromStore', {name: store.name}), at && apart('where', mapLink(at, store.address)), pickup?.ready_at && apart('detail', t('readyFrom', {time: when(pickup.ready_at)})),
    pickup?.instructions && apart('detail', pickup.instructions)].filter(Boolean);
}
