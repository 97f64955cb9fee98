// What was said in a conversation, and what waits to be.
import {remembered} from './account.js';
import {fullName} from './delivery.js';
import {h} from './dom.js';
import {icon} from './icons.js';
import * as outgoing from './outgoing.js';
import * as shelf from './shelf.js';
import {streetOf} from './way.js';
import {shortDay, t, when} from './words.js';

/** Whom deliveries go to that somebody writes about here, by their ids. */
export const topics = new Map();

/** What a delivery is called that something is about. */
export const topicOf = (id) => [t('aboutDelivery'), topics.get(id)].filter(Boolean).join(': ');

/** Whom a delivery goes to, and where: the town of its store goes without saying. */
export const goalOf = ({recipient, store}) => [fullName(recipient), streetOf(recipient?.address, store?.address ?? remembered().address)].filter(Boolean).join(', ');

/** The day of what stands below it. */
export const dayOf = (at) => h('li', {class: 'said-day'}, h('span', {}, new Date(at).toDateString() === new Date().toDateString() ? t('today') : shortDay(at.slice(0, 10))));

/** A message; `name` is the other's, and one's own can be taken back while it is fresh. */
export function bubble({text: words, file, delivery, deleted, at, isSeen, isFresh}, {isOwn, name, takeBack}) {
  return h('li', {class: `bubble ${isOwn ? 'own' : 'theirs'}`}, h('span', {class: 'unseen'}, isOwn ? t('you') : name),
    deleted ? h('p', {class: 'hint'}, t('takenBack')) : [file && picture(file), words && h('p', {class: 'words'}, words),
      delivery && h('p', {class: 'about'}, h('a', {href: `#delivery=${delivery.id}`}, icon('way'), topicOf(delivery.id)))],
    h('p', {class: 'below'}, h('time', {datetime: at}, when(at)), isSeen && h('span', {class: 'hint'}, ` · ${t('seen')}`),
      isFresh && h('button', {type: 'button', class: 'quiet', onclick: takeBack}, t('takeItBack'))));
}

const picture = ({id: file, width, height}) => h('a', {href: `/v1/files/${file}`, target: '_blank'},
  h('img', {src: `/v1/files/${file}?width=320`, alt: t('picture'), width, height, loading: 'lazy'}));

/** What is on its way, or was refused, and can be taken back: `takenBack` gets its words. */
export function unsent({item, isSending}, takenBack) {
  const shown = h('canvas', {height: 120, width: 160, role: 'img', 'aria-label': t('picture'), hidden: true});
  if (item.pictures?.length) preview(shown, item.pictures[0].name);
  return h('li', {class: 'bubble own unsent'}, shown, item.body.text && h('p', {class: 'words'}, item.body.text),
    h('p', {class: 'below'}, h('span', {class: item.refused ? 'warning' : 'hint', role: 'status'}, item.refused ?? t(isSending ? 'isBeingSent' : 'waitsToBeSent')),
      !isSending && h('button', {type: 'button', class: 'quiet', onclick: () => {
        takenBack(item.body.text);
        outgoing.takeBack(item);
      }}, t('takeBack'))));
}

async function preview(canvas, picture) {
  const kept = await shelf.find(picture);
  if (!kept) return;
  const bitmap = await createImageBitmap(kept.blob);
  Object.assign(canvas, {width: bitmap.width * 120 / bitmap.height, hidden: false});
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
}
