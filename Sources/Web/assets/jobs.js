// A courier's jobs: what is carried, what is offered, and what is done; readable without a connection.
import {get} from './ask.js';
import {badge, collected, facts, fullName, history, isListed, jobsKept as place, moment, phoneLink, whose} from './delivery.js';
import {h, openDialog, say, unpressed, wordsOf} from './dom.js';
import {due, inTime, tick} from './due.js';
import {today} from './earnings.js';
import {form} from './form.js';
import {gone} from './gone.js';
import {icon} from './icons.js';
import {jobCards, source, terms, toDoor} from './jobcard.js';
import {loaded, soon} from './later.js';
import {lists} from './lists.js';
import {money} from './money.js';
import {heedMoves} from './moves.js';
import {farness, fetchedFrom, learnPlaces, reckonAll} from './nearness.js';
import * as outgoing from './outgoing.js';
import {parcelOf} from './parcel.js';
import {noticed} from './push.js';
import {said, saidMark} from './recipient.js';
import {asChosen, goBy, movable} from './route.js';
import {talkLink} from './talk.js';
import {mapLink, streetOf} from './way.js';
import {here} from './whereabouts.js';
import {t, when} from './words.js';

// What is carried comes first: somebody waits for it.
const order = ['in_progress', 'pending', 'delivered'];
// What asks for more than a touch; what has a camera in it is loaded once there is nothing else to do.
const handing = (name) => async (...said) => (await loaded('handing'))[name](...said);
const asking = {deliver: handing('delivering'), fail: handing('failing'), cancel: handing('givingBack')};
soon('handing');
soon('surroundings');

/** Offers wait for a courier. */
export const hand = {statuses: ['pending'], needs: isListed};

export function jobs(region, {account, count}) {
  let open, first, accepted, ordered, done = outgoing.done();
  let kept = JSON.parse(localStorage.getItem(place) ?? 'null');
  // What somebody has heard of being gone: it is not said again.
  const told = new Set();
  // Who may be new is shown nothing that would be taken away at once.
  region.classList.toggle('bare', !kept?.items.length);
  const age = h('p', {class: 'hint age', hidden: true});
  const [earned, taken] = [today(), gone()];
  const groups = [
    {name: 'in_progress', statuses: ['in_progress'], order: (one, other) => done.has(one.id) - done.has(other.id) || asChosen(one, other)}, {name: 'pending', statuses: ['pending'], order: inTime, titles: {pending: t('offers')}},
    {name: 'delivered', statuses: ['delivered'], isFolded: true},
  ];
  const isOneOfMany = ({status}) => status === 'in_progress' && all.of(status).filter(isListed).length > 1;
  const {card, steps, others} = jobCards({look, ask, isOneOfMany, putOff});
  const all = lists(groups, {
    card, empty: (name) => t(`noJobs_${name}`), drawn, isPart: isListed,
    mark(job) {
      const item = outgoing.waiting(job.id);
      return `${isOneOfMany(job)} ${Boolean(fetchedFrom(job))} ${job.eta?.at.slice(0, 16)} ${saidMark(job)} ${item ? `${item.action} ${outgoing.isSending(item)} ${outgoing.isGraced(item)}` : ''}`;
    },
  });

  const offers = () => all.of(...hand.statuses).filter(hand.needs);

  all.parts[1].section.querySelector('h2').after(h('p', {class: 'hint off-duty'}, t('nowOffDuty')));
  // The order of what is carried is changed where it stands.
  heedMoves(all.parts[1].list);
  movable(all.parts[0].list, (ids) => goBy(ids, all.get, all.put));
  let [tellOffers, tellAbove] = [() => {}, () => {}];
  loaded('inhand').then(({aboveJobs}) => {
    tellAbove = aboveJobs(all.parts[0], () => all.of('in_progress').sort(asChosen));
    tellAbove();
  }, () => {});
  loaded('offersline').then(({offersLine}) => {
    tellOffers = offersLine(all.parts[1].section, () => all.parts[0].list.querySelector('li:first-child .verbs'));
    tellOffers(offers());
  }, () => {});

  /** Asks for what a step says; `refused` is what the server did not take of it, and `error` why. */
  async function ask(job, action, refused, error) {
    let fields, read, verb;
    try {
      ({fields, read, verb} = await asking[action](job, refused));
    } catch (failure) {
      // Why it was refused matters more than that nobody can be asked for it once more.
      return say(wordsOf(error ?? failure));
    }
    // One at a time: what was looked at goes on in what is asked.
    open?.close?.();
    const isDanger = action === 'cancel' && !job.cancel_is_free;
    const dialog = openDialog(t(`do_${action}`), form([h('p', {class: 'whose'}, whose(job)), job.instructions && h('p', {}, job.instructions), ...said(job), ...fields].filter(Boolean), verb || t(`do_${action}`), async (values) => {
      const {body, pictures} = await read(values);
      dialog.close();
      outgoing.add(job, action, body, pictures);
    }, {danger: isDanger, cancel: () => dialog.close(), error}));
    dialog.classList.add('handing', action);
    const mine = {id: job.id, show: (current) => { if (current?.status !== job.status) dialog.close(); }};
    stands(mine, dialog);
  }

  /** That is open until its dialog closes, unless another has taken its place. */
  function stands(mine, dialog) {
    open = mine;
    dialog.addEventListener('close', () => { if (open === mine) open = undefined; });
  }

  function look(job) {
    const content = h('div');
    const [around, got] = [h('div'), h('span')];
    const past = history(job.id, (steps) => { got.textContent = collected(steps); });
    // What is around helps, and nothing is missed without.
    loaded('surroundings').then(({surroundings}) => around.append(surroundings(job.id)), () => {});
    const dialog = openDialog(fullName(job.recipient), content);
    dialog.classList.add('wide', 'look');
    let shown;
    stands({
      show(known) {
        // Whatever it is now, it is not this courier's.
        if (!known) return dialog.close();
        const current = outgoing.ahead(known);
        const waiting = outgoing.waiting(current.id);
        const state = `${current.version} ${saidMark(current)} ${waiting?.key} ${waiting && outgoing.isSending(waiting)} ${waiting && outgoing.isGraced(waiting)}`;
        if (state === shown) return;
        shown = state;
        unpressed(content, () => {
          content.replaceChildren(...about(current, got).filter(Boolean), past.element, around,
            h('div', {class: 'foot'}, ...steps(current), h('p', {class: 'actions others'}, others(current))));
          past.load();
        });
      },
      id: job.id,
      close: () => dialog.close(),
    }, dialog);
    open.show(job);
  }

  /** Who has had no job yet is told what to do until there is one. */
  async function begin() {
    const isNew = !order.some((status) => all.of(status).length);
    region.classList.toggle('bare', isNew);
    if (!isNew) return first?.region.remove();
    const {welcome} = await loaded('welcome');
    if (!region.isConnected || !region.classList.contains('bare')) return undefined;
    first ??= welcome(account);
    return first.region.isConnected || region.prepend(first.region);
  }

  /** Keeps what there is for when there is no connection: what is carried before all else. */
  function drawn() {
    open?.show(all.get(open.id));
    shorten();
    tellOffers(offers());
    tellAbove();
    bring();
    const isFresh = all.parts.every((part) => part.isFresh);
    count(offers().length);
    age.hidden = isFresh || !kept;
    if (kept) age.textContent = t('asOf', {time: when(kept.at)});
    if (!isFresh) return;
    noticed('jobs');
    begin().catch(() => region.classList.remove('bare'));
    tellOrder();
    lookAfter();
    kept = {at: new Date().toISOString(), items: order.flatMap((status) => all.of(status)).filter(isListed).slice(0, 100)};
    localStorage.setItem(place, JSON.stringify(kept));
  }

  /** What is carried comes first, and of that what comes next: the rest is told in fewer words. */
  function shorten() {
    const isCarrying = all.of('in_progress').some(isListed);
    lanes.classList.toggle('carrying', isCarrying);
    for (const [at, {list}] of all.parts.slice(0, 2).entries()) for (const card of list.children) card.classList.toggle('brief', (at && isCarrying) || card !== list.firstElementChild);
  }

  const isHere = ({id}) => all.get(id) && isListed(all.get(id));

  /** What was carried before, and is not any more, may have been taken while nobody looked. */
  function lookAfter() {
    for (const job of kept?.items ?? []) {
      if (job.status !== 'in_progress' || told.has(job.id) || isHere(job)) continue;
      // What cannot be asked now is asked when something is drawn again.
      now(job.id).then(whyGone).then((why) => why && taken.add(job, why), () => { kept.items.push(job); });
    }
  }

  /** What a delivery is now, if it is anything to this courier. What is may yet be taken while nobody looks. */
  function put(delivery) {
    if (!isListed(delivery)) {
      told.add(delivery.id);
      return all.remove(delivery.id);
    }
    told.delete(delivery.id);
    taken.remove(delivery.id);
    return all.put(delivery);
  }

  /** Says that the store has taken something, and how; of what was carried a card stays. */
  function tellGone(before, why) {
    say([t(why === 'cancelled' ? 'jobGone' : 'jobTakenBack'), before && whose(before)].filter(Boolean).join(' '));
    if (before?.status === 'in_progress') taken.add(before, why);
  }

  /**
   * Shows what was just accepted where it stands now, unless that is to be seen, as soon as it does: nothing is drawn under a finger. An answer that
   * comes late moves nothing under anybody's hand.
   */
  function bring() {
    const card = accepted && all.parts[0].list.querySelector(`[data-key='${accepted}']`);
    if (!card) return;
    accepted = undefined;
    if (!navigator.userActivation?.isActive || all.parts[1].section.popover) return;
    const {top, bottom} = card.getBoundingClientRect();
    if (top < 61 || bottom > innerHeight) card.scrollIntoView({block: 'start'});
    card.classList.add('taken');
  }

  /** What is in hand stays on top when another is accepted, so that nobody hands over the wrong one; the server is told, since it reckons by the order. */
  function stay(accepted) {
    const [first] = besides(accepted);
    if (first?.picked_up_at && asChosen(accepted, first) < 0) putOff(accepted);
  }

  const besides = (job) => all.of('in_progress').filter(({id}) => id !== job.id).sort(asChosen);

  /** Goes to it after all the others, as to whom one did not find. */
  function putOff(job) { goBy([...besides(job), job].map(({id}) => id), all.get, all.put); }

  /** The server reckons when each arrives by the order in which it is gone: that is what is shown here. Nobody has asked for it, so nobody is told that it failed. */
  function tellOrder() {
    const jobs = all.of('in_progress').sort(asChosen);
    const ids = jobs.map(({id}) => id).join();
    if (jobs.length > 1 && !jobs.every(({stop}) => stop) && ids !== ordered) goBy((ordered = ids).split(','), all.get, all.put, () => {});
  }

  /** Whether somebody who looks sees what changes on its card: no sheet lies over it. */
  function isInSight(id) {
    if (document.querySelector('dialog[open]')) return false;
    const {top = -1} = all.parts[0].list.querySelector(`[data-key='${id}']`)?.getBoundingClientRect() ?? {};
    return top > 0 && top < innerHeight / 2;
  }

  const unlisten = outgoing.listen({
    changed() {
      done = outgoing.done();
      all.draw();
    },
    answered(delivery, {action, path, id, job}) {
      if (action === 'say' || path) return;
      // What is known by the answer waits for no list; an answer given again may be an old one, and the lists know better.
      if (delivery) put(delivery);
      if (delivery && action === 'accept') {
        accepted = delivery.id;
        stay(delivery);
        bring();
      }
      // What one does next is what one looks for then.
      if (delivery && ['deliver', 'cancel'].includes(action)) {
        accepted = all.of('in_progress').filter((one) => one.id !== delivery.id).sort(asChosen)[0]?.id;
        bring();
      }
      // Who gave it back knows that it is gone, whatever came of the answer.
      if (action === 'cancel') {
        told.add(id);
        // The parcel is still there, and has to go somewhere.
        if (delivery && job?.picked_up_at) taken.add(job, 'returned');
      }
      all.reload();
      earned.load();
    },
    refused(item, error) {
      const job = all.get(item.id);
      if (!asking[item.action] || job?.status !== 'in_progress') return false;
      if (error.code === 'wrong_pin') error.errors = [{field: 'pin', detail: error.message}];
      ask(job, item.action, item, error);
      return true;
    },
  });
  const slip = h('p', {}, h('button', {type: 'button', class: 'quiet', title: t('scanSlip'), async onclick() {
    try {
      const {scanCode, deliveryIn} = await loaded('scan');
      const id = await scanCode(t('scanSlip'), deliveryIn);
      if (id) location.hash = `#delivery=${id}`;
    } catch (error) {
      say(wordsOf(error));
    }
  }}, icon('scan'), h('span', {}, t('scanSlip'))));
  const lanes = h('div', {class: 'lanes'}, all.parts.map(({section}) => section));
  region.append(h('div', {class: 'above'}, earned.line, slip), all.problem, age, lanes);
  all.parts[0].section.after(taken.region);
  let isLeft = false, beside;
  loaded('besidejobs').then(({mapBesideJobs}) => { if (!isLeft) beside = mapBesideJobs(lanes); }, () => {});
  if (kept) all.fill(kept.items);
  const reckon = () => {
    reckonAll(region);
    tellOffers(offers());
    tellAbove();
  };
  const locate = () => learnPlaces().then(() => { all.draw(); reckon(); });
  locate();
  // How near an offer is, is known with the first place that the phone finds.
  addEventListener('located', reckon);
  all.reload();
  earned.load();
  const clock = setInterval(() => {
    reckon();
    tick(document.body);
    // When it is expected changes as one moves, without a word.
    if (!document.hidden && here() && all.of('in_progress').length) all.renew('in_progress');
  }, 30_000);

  return {
    leave() {
      isLeft = true;
      beside?.leave();
      clearInterval(clock);
      removeEventListener('located', reckon);
      first?.leave();
      unlisten();
    },
    onFresh() {
      locate();
      earned.load();
      beside?.onFresh();
      // What could not be told is told with the next connection.
      ordered = undefined;
      return all.reload();
    },
    /** One that a notification tells of, as it is now. */
    async look(id) {
      const before = all.get(id) ?? taken.get(id);
      try {
        const job = await now(id);
        put(job);
        if (isListed(job)) return look(job);
        const why = whyGone(job);
        if (why === 'cancelled' || (why && before?.status === 'in_progress')) tellGone(before, why); else say(t('offerGone'));
      } catch (error) {
        say(wordsOf(error));
      }
    },
    hears: ['delivery', 'partner'],
    onEvent(event) {
      const {type, delivery} = event;
      beside?.onEvent(event);
      if (!delivery) {
        locate();
        first?.load();
        return type === 'partner.ended' && all.reload();
      }
      if (type === 'delivery.offered' && isListed(delivery)) say([t('newOffer'), streetOf(delivery.recipient?.address, delivery.store.address), delivery.pay && money(delivery.pay)].filter(Boolean).join(' · '), {isNews: true, isSeen: true});
      const before = all.get(delivery.id);
      const why = {'delivery.cancelled': 'cancelled', 'delivery.reassigned': 'reassigned'}[type];
      if (type === 'delivery.wish') say([fullName(delivery.recipient), delivery.wishes?.at(-1)?.text].filter(Boolean).join(': '), {isNews: true, isSeen: isInSight(delivery.id)});
      if (why) tellGone(before, why);
      else if (!isListed(delivery) && open?.id === delivery.id) say(t('offerGone'));
      put(delivery);
      if (type === 'delivery.offered') all.parts[1].list.querySelector(`[data-key='${delivery.id}']`)?.classList.add('taken');
    },
  };
}

/** A delivery as it is now; of one that there is not for this courier, its id alone. */
const now = (id) => get(`/v1/deliveries/${id}`).catch((error) => {
  if (error.status === 404) return {id};
  throw error;
});

/** How the store has taken a delivery from who carried it, if it has. What was taken back, another may have by now: then there is no such delivery. */
function whyGone({status, allowed_actions: may = []}) {
  if (status === 'cancelled') return 'cancelled';
  return may.length || status === 'delivered' ? undefined : 'reassigned';
}

// Whom one has brought something is nobody to call for longer than a day.
const isLongAgo = ({delivered_at: at}) => Date.now() - Date.parse(at) > 86_400_000;

function about(job, got) {
  const {id, status, recipient, store, pickup, cash, delivered_at: delivered} = job;
  const isOver = status === 'delivered';
  return [
    h('p', {}, badge(status, status === 'pending' ? t('newOffer') : undefined), delivered && [' ', moment(delivered)]), ...said(job),
    // What counts on the way and at the door, as on its card.
    ...isOver ? [] : [h('p', {class: 'goal'}, mapLink(recipient, store.address)), job.instructions && h('p', {}, job.instructions), ...terms(job)],
    facts([[t('due'), !isOver && (job.due_at ? h('span', {}, due(job)) : t('due_now'))], [t('address'), isOver && mapLink(recipient)],
      [t('phone'), status === 'pending' || !recipient || isLongAgo(job) ? null : recipient.phone ? phoneLink(recipient.phone, fullName(recipient)) : t('notAvailable')],
      [t('description'), job.description], [t('instructions'), isOver && job.instructions], [t('reference'), job.reference],
      [t('way'), !isOver && h('span', {class: 'legs'}, farness(job), toDoor(job))], [t('parcel'), isOver && parcelOf(job)], [t('cashGot'), isOver && cash && got], [t('payOf'), isOver && job.pay && money(job.pay)], [t('pickup'), pickup && source(job)],
      [t('store'), h('span', {}, store.name, ' ', store.address && h('span', {class: 'where'}, mapLink(store)), ' ', phoneLink(store.phone, store.name), ' ', talkLink(store.id, store.name, id))], [t('createdAt'), moment(job.created_at)]]),
  ];
}
