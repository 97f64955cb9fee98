// How many messages wait to be read: beside the link to them, and in passing when another one comes.
import {get, thisVisit} from './ask.js';
import {h, say} from './dom.js';
import {gathered} from './feed.js';
import {t} from './words.js';

/** `drawn` is told when the link has become longer or shorter. */
export function unread(account, link, drawn) {
  const mine = thisVisit();
  // It stays, and only what it says changes: the link may just be pressed.
  const mark = h('span', {class: 'count', hidden: true});
  link.append(mark);

  async function load() {
    const {unread: count} = await get('/v1/conversations', {limit: 1});
    mark.textContent = count > 99 ? '99+' : count;
    mark.hidden = !count;
    if (count) link.setAttribute('aria-label', t('unreadMessages', {count})); else link.removeAttribute('aria-label');
    drawn();
  }

  // Whoever has signed out meanwhile is not asked for.
  const again = gathered(() => mine === thisVisit() && load().catch(() => {}), 200);

  return {
    load: again,
    onEvent({type, data}) {
      if (!type.startsWith('message.')) return;
      again();
      if (type !== 'message.created' || !data.message || data.message.from.id === account.id) return;
      const {conversation, message} = data;
      const isHere = document.querySelector(`[data-talk='${conversation.id}']`) && !document.hidden;
      if (!isHere && !conversation.muted && !message.deleted) say(`${conversation.with.name}: ${message.text?.slice(0, 80) ?? t('aPicture')}`);
    },
  };
}
