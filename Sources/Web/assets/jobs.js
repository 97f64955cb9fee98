// A courier's jobs: what is carried, what is offered, and what is done; readable without a connection.
import {get} from './ask.js';
import {badge, facts, fullName, isListed, mapLink, moment, phoneLink, reasonOf, timeline} from './delivery.js';
import {h, openDialog, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {returnReasons} from './lifecycle.js';
import {lists} from './lists.js';
import * as outgoing from './outgoing.js';
import {closeNotices} from './push.js';
import {t, when} from './words.js';

const place = 'kurir.jobs';
// What is carried comes first: somebody waits for it.
const order = ['in_progress', 'pending', 'delivered'];

export function jobs(region, {count}) {
  let open;
  let kept = JSON.parse(localStorage.getItem(place) ?? 'null');
  const age = h('p', {class: 'hint', hidden: true});
  const all = lists(order, {
    card, empty: (status) => t(`noJobs_${status}`), drawn, shows: isListed, folded: ['delivered'], called: {pending: t('offers')},
    mark({id}) {
      const item = outgoing.waiting(id);
      return item && `${item.action} ${outgoing.isSending(item)}`;
    },
  });

  function card(job) {
    const {recipient, store, status} = job;
    return h('li', {class: `card ${status}`},
      h('div', {class: 'top'}, h('h3', {}, fullName(recipient)), moment(job.delivered_at ?? job.accepted_at ?? job.created_at)),
      h('p', {class: 'street'}, mapLink(recipient)), h('p', {class: 'clamped'}, job.description),
      job.instructions && h('p', {class: 'hint clamped'}, job.instructions),
      h('p', {class: 'hint from'}, t('fromStore', {name: store.name}), store.address && [' · ', mapLink(store)]),
      ...steps(job),
      h('p', {class: 'actions'},
        status === 'in_progress' && recipient?.phone && phoneLink(recipient.phone, fullName(recipient), fullName(recipient)),
        status !== 'delivered' && phoneLink(store.phone, store.name, store.name),
        h('button', {type: 'button', 'aria-label': `${t('details')}: ${fullName(recipient)}`, onclick: () => look(job)}, t('details'))));
  }

  /** What may be done now, or what was done and is not answered yet. */
  function steps(job) {
    const {recipient, allowed_actions: may} = job;
    const waiting = outgoing.waiting(job.id);
    const verb = (action, style, act) =>
      may.includes(action) && !waiting && h('button', {type: 'button', class: style, onclick: act,
        'aria-label': `${t(`do_${action}`)}: ${fullName(recipient)}`}, t(`do_${action}`));
    return [
      waiting && h('p', {class: 'warning', role: 'status'},
        t(outgoing.isSending(waiting) ? 'isSending' : 'willBeSent', {action: t(`do_${waiting.action}`)})),
      h('p', {class: 'actions verbs'},
        waiting && !outgoing.isSending(waiting) && h('button', {type: 'button', 'aria-label': `${t('takeBack')}: ${fullName(recipient)}`,
          onclick: () => outgoing.takeBack(waiting)}, t('takeBack')),
        verb('accept', 'main', () => outgoing.add(job, 'accept')), verb('deliver', 'main', () => deliver(job)),
        verb('decline', '', () => outgoing.add(job, 'decline')), verb('cancel', 'danger', () => giveBack(job))),
    ];
  }

  function deliver(job) {
    ask(job, 'deliver', [{name: 'note', label: t('note'), rows: 2, hint: t('noteHint')}], {});
  }

  function giveBack(job) {
    const fields = [h('p', {}, t('giveBackWarning')),
      {name: 'reason', label: t('reason'), value: 'other', required: true, hint: t('reasonHint'),
        options: returnReasons.map((reason) => [reason, reasonOf(reason)])},
      {name: 'note', label: t('note'), rows: 2}];
    ask(job, 'cancel', fields, {danger: true});
  }

  function ask(job, action, fields, options) {
    const dialog = openDialog(t(`do_${action}`), form(fields, t(`do_${action}`), async (values) => {
      dialog.close();
      outgoing.add(job, action, values);
    }, {...options, cancel: () => dialog.close()}));
    open = {id: job.id, show: (current) => { if (current?.status !== job.status) dialog.close(); }};
    dialog.addEventListener('close', () => { open = undefined; });
  }

  function look(job) {
    const content = h('div');
    const dialog = openDialog(fullName(job.recipient), content);
    dialog.classList.add('wide');
    dialog.addEventListener('close', () => { open = undefined; });
    let shown;
    open = {
      show(current) {
        // Whatever it is now, it is not this courier's.
        if (!current) return dialog.close();
        const waiting = outgoing.waiting(current.id);
        const state = `${current.version} ${waiting && outgoing.isSending(waiting)}`;
        if (state === shown) return;
        shown = state;
        content.replaceChildren(...about(current), ...steps(current).filter(Boolean));
      },
      id: job.id,
    };
    open.show(job);
  }

  /** Keeps what there is for when there is no connection: what is carried before all else. */
  function drawn() {
    open?.show(all.get(open.id));
    const isFresh = all.parts.every((part) => part.isFresh);
    const offers = all.of('pending').filter(isListed);
    count(offers.length);
    if (isFresh) closeNotices('courier', (id) => !offers.some((offer) => offer.id === id));
    age.hidden = isFresh || !kept;
    if (kept) age.textContent = t('asOf', {time: when(kept.at)});
    if (!isFresh) return;
    kept = {at: new Date().toISOString(), items: order.flatMap((status) => all.of(status)).slice(0, 100)};
    localStorage.setItem(place, JSON.stringify(kept));
  }

  /** What a delivery is now, if it is anything to this courier. */
  const put = (delivery) => (isListed(delivery) ? all.put(delivery) : all.remove(delivery.id));

  const unlisten = outgoing.listen({
    changed: all.draw,
    answered(delivery) {
      // What is known by the answer waits for no list; an answer given again may be an old one, and the lists know better.
      if (delivery) put(delivery);
      all.reload();
    },
  });
  region.append(all.problem, age, ...all.parts.map(({section}) => section));
  if (kept) all.fill(kept.items);
  all.reload();

  return {
    leave: unlisten,
    onFresh: all.reload,
    /** One that a notification tells of, as it is now. */
    async look(id) {
      try {
        const job = await get(`/v1/deliveries/${id}`);
        put(job);
        if (isListed(job)) look(job); else say(t('offerGone'));
      } catch (error) {
        say(error.status === 404 ? t('offerGone') : wordsOf(error));
      }
    },
    hears: ['delivery', 'partner'],
    onEvent({type, delivery}) {
      if (!delivery) return type === 'partner.ended' && all.reload();
      if (type === 'delivery.offered' && isListed(delivery)) say(t('newOffer'));
      if (type === 'delivery.cancelled' || type === 'delivery.reassigned') say(t('jobGone'));
      else if (!isListed(delivery) && open?.id === delivery.id) say(t('offerGone'));
      put(delivery);
    },
  };
}

const about = ({recipient, store, ...job}) => [
  h('p', {}, badge(job.status)),
  facts([[t('address'), mapLink(recipient)],
    [t('phone'), job.status === 'pending' || !recipient ? null : recipient.phone ? phoneLink(recipient.phone, fullName(recipient)) : t('notAvailable')],
    [t('description'), job.description], [t('instructions'), job.instructions], [t('reference'), job.reference],
    [t('store'), h('span', {}, store.name, ' · ', store.address && mapLink(store), ' ', phoneLink(store.phone, store.name))], [t('createdAt'), moment(job.created_at)]]),
  h('details', {class: 'more'}, h('summary', {}, t('history')), timeline(job.id)),
];
