// A courier's jobs: what is carried, what is offered, and what is done; readable without a connection.
import {get} from './ask.js';
import {badge, facts, fullName, mapLink, moment, phoneLink, timeline} from './delivery.js';
import {h, keep, newID, openDialog, say, trouble, wordsOf} from './dom.js';
import {form} from './form.js';
import * as outgoing from './outgoing.js';
import {t, when} from './words.js';

const place = 'kurir.jobs';
// What is carried comes first: somebody waits for it.
const order = ['in_progress', 'pending', 'delivered'];

export function jobs(region) {
  const kept = JSON.parse(localStorage.getItem(place) ?? 'null');
  const known = new Map(kept?.items.map((job) => [job.id, job]));
  // When what is shown was true.
  let at = kept?.at;
  let cursor;
  const problem = h('div');
  const lists = Object.fromEntries(order.map((status) => [status, list(status)]));
  const more = h('button', {type: 'button', hidden: true, onclick: () => load(cursor)}, t('more'));
  const unlisten = outgoing.listen({changed: () => show(), answered});

  function list(status) {
    const heading = newID();
    const items = h('ul', {class: 'cards', 'aria-labelledby': heading});
    const empty = h('p', {class: 'hint'});
    return {items, empty, section: h('section', {}, h('h2', {id: heading}, t(`jobs_${status}`)), items, empty)};
  }

  async function load(from) {
    try {
      const page = await get('/v1/deliveries', {limit: 100, cursor: from});
      if (!from) known.clear();
      for (const job of page.items) known.set(job.id, job);
      cursor = page.next_cursor;
      problem.replaceChildren();
      save();
    } catch (error) {
      const age = at ? ` ${t('asOf', {time: when(at)})}` : '';
      problem.replaceChildren(trouble(wordsOf(error) + age, () => load()));
    }
    show();
  }

  function save() {
    at = new Date().toISOString();
    localStorage.setItem(place, JSON.stringify({at, items: Array.from(known.values()).slice(0, 100)}));
  }

  function show() {
    for (const status of order) {
      const items = Array.from(known.values()).filter((job) => job.status === status).sort((one, other) => (one.id < other.id ? 1 : -1));
      const {empty, items: element} = lists[status];
      keep(element, items, (job) => `${job.version} ${outgoing.waiting(job.id)?.action} ${outgoing.isSending()}`, card);
      empty.hidden = items.length > 0;
      empty.textContent = at ? t(`noJobs_${status}`) : t('loading');
    }
    more.hidden = !cursor;
  }

  function card(job) {
    const {recipient, store, status, allowed_actions: may} = job;
    const waiting = outgoing.waiting(job.id);
    const verb = (action, style, act) =>
      may.includes(action) && !waiting && h('button', {type: 'button', class: style, onclick: act,
        'aria-label': `${t(`do_${action}`)}: ${fullName(recipient)}`}, t(`do_${action}`));
    return h('li', {class: `card ${status}`},
      h('p', {class: 'top'}, badge(status), moment(job.delivered_at ?? job.accepted_at ?? job.created_at)),
      h('h3', {}, fullName(recipient)), h('p', {}, mapLink(recipient)), h('p', {}, job.description),
      job.instructions && h('p', {class: 'hint'}, job.instructions), h('p', {class: 'hint'}, store.name),
      waiting && h('p', {class: 'warning', role: 'status'},
        t(outgoing.isSending() ? 'isSending' : 'willBeSent', {action: t(`do_${waiting.action}`)})),
      h('p', {class: 'actions'},
        verb('accept', 'main', () => outgoing.add(job, 'accept')), verb('deliver', 'main', () => deliver(job)),
        verb('decline', '', () => outgoing.add(job, 'decline')), verb('cancel', 'danger', () => cancel(job)),
        status === 'in_progress' && recipient.phone && phoneLink(recipient.phone, fullName(recipient)),
        status !== 'delivered' && phoneLink(store.phone, store.name),
        h('button', {type: 'button', 'aria-label': `${t('details')}: ${fullName(recipient)}`, onclick: () => details(job)}, t('details'))));
  }

  function deliver(job) {
    ask(job, 'deliver', [{name: 'note', label: t('note'), rows: 2, hint: t('noteHint')}], {});
  }

  function cancel(job) {
    const fields = [h('p', {}, t('giveBackWarning')), {name: 'reason', label: t('reason'), rows: 2, hint: t('reasonHint')}];
    ask(job, 'cancel', fields, {danger: true});
  }

  function ask(job, action, fields, options) {
    const dialog = openDialog(t(`do_${action}`), form(fields, t(`do_${action}`), async (values) => {
      dialog.close();
      outgoing.add(job, action, values);
    }, {...options, cancel: () => dialog.close()}));
  }

  /** What the server made of something that was sent; null when it refused. */
  function answered(delivery, {id, action}) {
    const isMine = delivery && ['accept', 'deliver'].includes(action);
    if (isMine) known.set(id, delivery); else known.delete(id);
    if (!delivery) load();
    save();
    show();
  }

  region.append(problem, ...order.map((status) => lists[status].section), more);
  load();
  outgoing.send();

  return {
    leave: unlisten,
    onFresh() { load(); outgoing.send(); },
    onEvent({type, delivery}) {
      if (type.startsWith('partner.')) return load();
      if (!delivery) return;
      if (type === 'delivery.offered') say(t('newOffer'));
      if (type === 'delivery.cancelled') say(t('jobGone'));
      if (delivery.recipient) known.set(delivery.id, delivery); else known.delete(delivery.id);
      save();
      show();
    },
  };
}

function details(job) {
  const {recipient, store} = job;
  openDialog(fullName(recipient), h('p', {}, badge(job.status)),
    facts([[t('address'), mapLink(recipient)], [t('phone'), recipient.phone && phoneLink(recipient.phone, fullName(recipient))],
      [t('description'), job.description], [t('instructions'), job.instructions], [t('reference'), job.reference],
      [t('store'), h('span', {}, phoneLink(store.phone, store.name), ` ${store.address}`)],
      [t('createdAt'), moment(job.created_at)]]),
    h('h3', {}, t('history')), timeline(job.id)).classList.add('wide');
}
