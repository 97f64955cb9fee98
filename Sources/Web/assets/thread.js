// One conversation: what was said, what waits to be sent, and what is written next.
import {all, ask, get, lasting, lastLoaded, Unreachable} from './ask.js';
import {avatar} from './face.js';
import {bubble, dayOf, goalOf, topicOf, topics, unsent} from './bubble.js';
import {takePicture} from './camera.js';
import {onDuty, phoneLink} from './delivery.js';
import {confirmed, h, keep, loading, say as tell, unpressed, wordsOf} from './dom.js';
import {icon} from './icons.js';
import * as outgoing from './outgoing.js';
import {noticed} from './push.js';
import {quickAnswers} from './quick.js';
import * as shelf from './shelf.js';
import {groundOf, wishes} from './talkwishes.js';
import {t} from './words.js';

// Milliseconds in which a message can be taken back; between two words that somebody still looks.
const retractable = 600_000;
const pulse = 15_000;
const longest = 2000;
// What was said last in the conversations that were open last, for when there is no connection.
const shelfOfTalks = 'kurir.talks';
const [mostTalks, mostSaid] = [10, 50];

// What was typed into conversations in a visit and not sent yet.
const typed = new Map();

const talks = () => JSON.parse(localStorage.getItem(shelfOfTalks) ?? '{}');

/** A conversation, or that with an account, as it was when it was last open here, `{conversation, items}`, if the error is that it cannot be loaded. */
export function lastTalk(id, error) {
  // Of one that was never open here the list may tell with whom it is, so that something can be written.
  const listed = lastLoaded('conversations')?.items.find((one) => [one.id, one.with.id].includes(id));
  const last = talks()[id] ?? Object.values(talks()).find(({conversation}) => conversation.with.id === id)
    ?? (listed && {conversation: listed, items: [], isElsewhere: true});
  if (last && (error instanceof Unreachable || error.isPassing)) return last;
  throw error;
}

/** The conversation with an account; without a connection, as it was last. */
export const talkWith = (id) => ask('PUT', `/v1/conversations/with/${id}`).catch((error) => lastTalk(id, error).conversation);

function keepTalk(conversation, items) {
  const {[conversation.id]: before, ...others} = talks();
  const all = Object.entries({...others, [conversation.id]: {conversation, items: items.slice(-mostSaid)}});
  localStorage.setItem(shelfOfTalks, JSON.stringify(Object.fromEntries(all.slice(-mostTalks))));
}

/** Fills a region; `about` is the delivery of what is written next, and `changed` is told when it is put away, or muted. */
export function thread(region, conversation, {account, about, changed}) {
  const {id} = conversation;
  const draft = `${account.id} ${id}`;
  const name = conversation.with.name || t('erasedAccount');
  const said = new Map();
  let earlier, readUpTo = 0, isLeft = false, isElsewhere = false;

  const list = h('ol', {class: 'said-list', 'aria-live': 'polite', 'aria-label': t('conversationWith', {name})});
  const state = h('p', {class: 'hint', role: 'status'});
  const before = h('p', {class: 'actions', hidden: true}, h('button', {type: 'button', onclick: loadEarlier}, t('earlier')));
  const scroll = h('div', {class: 'scroll-talk', tabindex: '0', role: 'group', 'aria-label': t('conversationWith', {name})}, before, list, state);
  const text = h('textarea', {rows: 1, maxlength: longest, 'aria-label': t('message'), placeholder: t('message'), value: typed.get(draft) ?? '', onkeydown: send, oninput: () => typed.set(draft, text.value)});
  const chip = h('p', {class: 'about', hidden: true});
  const blocking = h('p', {class: 'hint'}, t('youBlock'));
  const writing = h('div', {class: 'writing'});

  // MARK: What is there

  const load = () => loading(list, () => get(`/v1/conversations/${id}/messages`).catch((error) => lastTalk(id, error)), ({items, next_cursor: cursor, isElsewhere: is = false}) => {
    isElsewhere = is;
    const isFirst = !said.size;
    // What was kept may be old, and between what was loaded before and this there may be more.
    const isApart = Math.min(...items.map(({seq}) => seq)) > messages().at(-1)?.seq + 1;
    if (cursor !== undefined && (earlier === undefined || isApart)) {
      said.clear();
      earlier = cursor;
    }
    for (const message of items) said.set(message.id, message);
    before.hidden = !earlier;
    draw(isFirst);
    read();
  });

  async function loadEarlier() {
    try {
      const {items, next_cursor: cursor} = await get(`/v1/conversations/${id}/messages`, {cursor: earlier});
      const height = scroll.scrollHeight;
      for (const message of items) said.set(message.id, message);
      earlier = cursor;
      before.hidden = !earlier;
      draw();
      scroll.scrollTop += scroll.scrollHeight - height;
    } catch (error) {
      tell(wordsOf(error));
    }
  }

  const messages = () => Array.from(said.values()).sort((one, other) => one.seq - other.seq);

  const draw = (isNew) => unpressed(list, () => drawAll(isNew));

  function drawAll(isNew = false) {
    const isAtEnd = isNew || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
    const all = messages();
    const seen = all.findLast((one) => isOwn(one) && one.seq <= conversation.read_up_to)?.id;
    let day;
    const rows = all.flatMap((message) => {
      const date = new Date(message.at).toDateString();
      const row = {...message, isSeen: message.id === seen, isFresh: isOwn(message) && !message.deleted && Date.now() - Date.parse(message.at) < retractable};
      if (date === day) return [row];
      day = date;
      return [{id: `day-${date}`, date: message.at}, row];
    });
    const waiting = outgoing.unsaid(id).map((item) => ({...item, id: item.key, item, isSending: outgoing.isSending(item)}));
    keep(list, [...rows, ...waiting], JSON.stringify, (row) => (row.date ? dayOf(row.date)
      : row.item ? unsent(row, writeAgain) : bubble(row, {isOwn: isOwn(row), name, takeBack: () => takeBack(row)})));
    if (all.length) keepTalk(conversation, all);
    state.textContent = all.length || waiting.length ? '' : t(isElsewhere ? 'saidElsewhere' : 'nothingSaid');
    if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
  }

  const isOwn = ({from}) => from.id === account.id;

  const writeAgain = (words) => { if (words && !text.value) text.value = words; };

  async function takeBack(message) {
    if (!(await confirmed(t('takeMessageBack'), t('takeMessageBackText'), t('takeItBack')))) return;
    try {
      await ask('DELETE', `/v1/conversations/${id}/messages/${message.id}`);
      said.set(message.id, {...message, text: null, file: undefined, delivery: undefined, deleted: true});
      draw();
    } catch (error) {
      tell(wordsOf(error));
    }
  }

  /** Says how far one has read, and that one looks. */
  function read(isPulse = false) {
    const last = messages().at(-1)?.seq ?? 0;
    if (isLeft || document.hidden || (!isPulse && last <= readUpTo)) return;
    readUpTo = Math.max(readUpTo, last);
    noticed('thread', ({conversation_id: one}) => one === id);
    ask('PUT', `/v1/conversations/${id}/read`, {up_to: last}).then((fresh) => Object.assign(conversation, fresh), () => {});
  }

  // MARK: What is written

  function send(event) {
    if (event && (event.key !== 'Enter' || event.shiftKey || event.isComposing || matchMedia('(pointer: coarse)').matches)) return;
    event?.preventDefault();
    const words = text.value.trim();
    if (!words) return;
    text.value = '';
    typed.delete(draft);
    out({text: words});
  }

  function out(body, pictures) {
    const last = messages().at(-1) ?? talks()[id]?.items.at(-1);
    outgoing.say(id, {...body, ...about && {delivery_id: about}}, pictures, last?.seq);
    about = undefined;
    drawWriting();
    draw(true);
  }

  async function photograph() {
    const blob = await takePicture();
    if (blob) out({}, [{field: 'file_id', name: await shelf.keep(blob)}]);
  }

  function drawWriting() {
    const why = conversation.can_write ? null : conversation.blocked && account.kind === 'store' ? 'blockedByCourier' : 'noMoreWriting';
    if (why) return writing.replaceChildren(h('p', {class: 'hint'}, t(why)));
    blocking.hidden = !conversation.blocked;
    chip.hidden = !about;
    chip.replaceChildren(h('a', {href: `#delivery=${about}`}, icon('way'), topicOf(about)), h('button', {type: 'button', class: 'plain', 'aria-label': t('aboutNothing'),
      onclick() { about = undefined; drawWriting(); }}, icon('close')));
    if (writing.contains(text)) return undefined;
    return writing.replaceChildren(blocking, quickAnswers(account.kind, (words) => out({text: words})), chip,
      h('div', {class: 'line-of-writing'}, h('button', {type: 'button', 'aria-label': t('takePicture'), title: t('takePicture'), onclick: photograph}, icon('camera')), text,
        h('button', {type: 'button', class: 'main', onclick: () => send()}, t('send'))));
  }

  const dress = () => { scroll.className = `scroll-talk ${groundOf(id)}`; };
  const more = () => wishes(conversation, {name, kind: account.kind, dress, done() { drawWriting(); changed(); }});

  const reach = h('span', {class: 'reach'});
  region.replaceChildren(
    h('div', {class: 'head-of-talk'}, h('a', {href: '#/messages', class: 'button back', 'aria-label': t('allTalks')}, '‹'), avatar(name, conversation.with.picture),
      h('h2', {}, name), reach, h('button', {type: 'button', class: 'plain', 'aria-label': t('more'), onclick: more}, icon('more'))),
    scroll, writing);
  // Whether a courier works now, and how to call: of who is no partner any more that is nobody's business.
  lasting('partners', () => all('/v1/partners')).then((partners) => {
    const partner = partners.find((one) => one.id === conversation.with.id);
    if (partner) reach.replaceChildren(...[onDuty(partner), phoneLink(partner.phone, name)].filter(Boolean));
  }, () => {});
  region.dataset.talk = id;
  dress();
  drawWriting();
  // Which delivery it is about, by whom it goes to.
  if (about && !topics.has(about)) get(`/v1/deliveries/${about}`).then((delivery) => { topics.set(delivery.id, goalOf(delivery)); drawWriting(); }, () => {});
  const unlisten = outgoing.listen({
    changed: () => draw(),
    answered(message, {action, id: where}) {
      if (action !== 'say' || where !== id) return;
      if (message) said.set(message.id, message);
      draw();
    },
    refused: () => false,
  });
  const seen = () => read(true);
  document.addEventListener('visibilitychange', seen);
  const timer = setInterval(seen, pulse);
  load();
  outgoing.send();

  return {
    load,
    leave() {
      isLeft = true;
      unlisten();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    },
    onEvent(type, data) {
      if (type.startsWith('partner.')) {
        return get(`/v1/conversations/${id}`).then((fresh) => { Object.assign(conversation, fresh); drawWriting(); }, () => {});
      }
      if (data?.conversation_id !== id) return undefined;
      if (data.conversation) Object.assign(conversation, data.conversation);
      if (data.message) said.set(data.message.id, data.message);
      drawWriting();
      draw();
      return read();
    },
  };
}
