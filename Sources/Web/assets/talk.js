// The way to a conversation.
import {h} from './dom.js';
import {icon} from './icons.js';
import {t} from './words.js';

/** Leads to the conversation with an account, perhaps to write about a delivery; `shown` is who it is, where that must be told apart. */
export const talkLink = (id, name, about, shown = t('write')) => id && name && h('a', {class: 'button', 'aria-label': t('writeTo', {name}), title: t('writeTo', {name}),
  href: `#/messages/with=${id}${about ? `,about=${about}` : ''}`}, icon('write'), h('span', {}, shown));
