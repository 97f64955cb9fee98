// Conversations: the list of them, and one that is open. On a phone one of the two is seen.
import {all, get, lasting} from './ask.js';
import {fullName, onDuty} from './delivery.js';
import {avatar} from './face.js';
import {fill, h, keep, loading, newID, say, wordsOf} from './dom.js';
import {gathered} from './feed.js';
import {icon} from './icons.js';
import {longestSearch} from './lifecycle.js';
import {haveWords} from './meant.js';
import {lastTalk, talkWith, thread} from './thread.js';
import {underWay} from './underway.js';
import {t, when} from './words.js';

const hasKeys = matchMedia('(pointer: fine)');

/** `part` names a conversation, or the account with which there is one: `with=ID`, and perhaps what it is about. */
export function messages(region, {account, part}) {
  const list = h('ul', {class: 'talks'});
  const more = h('p', {class: 'actions', hidden: true});
  const hidden = h('input', {type: 'checkbox', onchange: () => load()});
  const putAwayToo = h('label', {class: 'choice'}, hidden, h('span', {}, t('hiddenTalks')));
  const search = h('input', {type: 'search', id: newID(), maxlength: longestSearch, placeholder: t('searchTalks'), oninput: gathered(() => load(), 250)});
  const open = h('div', {class: 'open-talk'});
  const others = h('ul', {class: 'talks'});
  const unwritten = h('section', {hidden: true}, h('h2', {}, t(`othersToWrite_${account.kind}`)), others);
  // With whom a conversation was put away.
  const putAway = new Set();
  let items = [], partners, one, carried, wanted = part && !part.startsWith('with=') ? part : null;

  const isPlain = () => !search.value.trim() && !hidden.checked;
  const page = (cursor) => get('/v1/conversations', {q: search.value.trim(), hidden: hidden.checked || undefined, cursor});

  function load() {
    return loading(list, () => (isPlain() ? lasting('conversations', () => page()) : page()), (first) => show(first.items, first.next_cursor));
  }

  function show(found, cursor) {
    items = found;
    more.hidden = !cursor;
    draw();
    more.replaceChildren(cursor ? h('button', {type: 'button', onclick: async () => {
      try {
        const next = await page(cursor);
        show([...items, ...next.items], next.next_cursor);
      } catch (error) {
        say(wordsOf(error));
      }
    }}, t('showMore')) : '');
  }

  function draw() {
    // Whether there is anybody to write to is known with the partners alone.
    if (!partners && !items.length && isPlain()) return;
    const left = unwrittenTo();
    unwritten.hidden = !left.length;
    putAwayToo.hidden = !hidden.checked && !putAway.size;
    // Where there is nobody to write to, nothing is to be chosen.
    region.classList.toggle('bare', isPlain() && !part && !items.length && !left.length);
    keep(others, left, JSON.stringify, other);
    list.hidden = Boolean(left.length && search.value.trim() && !items.length);
    fill(list, items.map((item) => ({...item, isOpen: item.id === wanted})), row,
      search.value.trim() ? 'nothingFound' : hidden.checked ? 'noHiddenTalks' : `noTalks_${account.kind}`);
  }

  /** With whom there is nothing in the list, once all of it is there. */
  function unwrittenTo() {
    if (!more.hidden || hidden.checked) return [];
    const known = new Set(items.map(({with: {id}}) => id));
    return (partners ?? []).filter((partner) => !known.has(partner.id) && !putAway.has(partner.id) && haveWords([nameOf(partner)], search.value));
  }

  const loadPartners = () => Promise.all([lasting('partners', () => all('/v1/partners')), all('/v1/conversations', {hidden: true})]).then(([found, away]) => {
    partners = found;
    putAway.clear();
    for (const talk of away) putAway.add(talk.with.id);
    draw();
  }, () => {
    partners ??= [];
    draw();
  });

  const other = (partner) => h('li', {}, h('a', {href: `#/messages/with=${partner.id}`}, avatar(nameOf(partner), partner.picture), h('span', {class: 'talk'}, h('strong', {}, nameOf(partner)), onDuty(partner))));

  function row({id, with: {name, picture}, last_message: last, unread, muted, isOpen}) {
    const shown = name || t('erasedAccount');
    const own = last && last.from.id === account.id;
    return h('li', {}, h('a', {href: `#/messages/${id}`, class: unread ? 'fresh' : '', 'aria-current': isOpen && 'true'}, avatar(shown, picture),
      h('span', {class: 'talk'}, h('span', {class: 'top'}, h('strong', {}, shown, muted && h('span', {class: 'hint', title: t('muted')}, ' ∅')),
        last && h('time', {datetime: last.at}, when(last.at))),
      h('span', {class: 'top'}, h('span', {class: 'last'}, own && `${t('you')}: `, wordsOfMessage(last)),
        unread > 0 && h('span', {class: 'count'}, h('span', {class: 'unseen'}, `${t('unread')}: `), unread)))));
  }

  async function find() {
    // Without a connection it opens as it was last.
    if (wanted) return get(`/v1/conversations/${wanted}`).catch((error) => lastTalk(wanted, error).conversation);
    const [, id] = part.match(/^with=([\w-]+)/) ?? [];
    const found = await talkWith(id);
    wanted = found.id;
    history.replaceState(history.state, '', `#/messages/${wanted}`);
    return found;
  }

  function enter() {
    region.classList.add('within');
    loading(open, find, (conversation) => {
      one = thread(open, conversation, {account, about: part.match(/about=([\w-]+)/)?.[1], changed: load});
      carried = underWay(account, conversation.with.id);
      open.firstElementChild.after(carried.list);
      draw();
      // Who has a keyboard writes at once, unless it went on to something else meanwhile.
      if (hasKeys.matches && document.activeElement.matches('body, main')) open.querySelector('textarea')?.focus();
    });
  }

  region.append(h('div', {class: 'list-talks'},
    h('div', {class: 'field'}, h('label', {for: search.id, class: 'unseen'}, t('searchTalks')), search), list, more, unwritten,
    putAwayToo), open);
  if (part) enter(); else open.append(h('p', {class: 'hint'}, icon('write'), t('chooseTalk')));
  load();
  loadPartners();

  return {
    leave() { one?.leave(); },
    onFresh() {
      load();
      loadPartners();
      if (one) one.load(); else if (part) enter();
    },
    hears: ['message', 'conversation', 'partner', 'delivery'],
    onEvent({type, data}) {
      if (type.startsWith('delivery')) return carried?.load();
      one?.onEvent(type, data);
      if (type.startsWith('partner.')) {
        loadPartners();
        return load();
      }
      const {conversation} = data ?? {};
      if (conversation) putAway[conversation.hidden ? 'add' : 'delete'](conversation.with.id);
      if (!conversation || !isPlain()) return load();
      items = [conversation, ...items.filter(({id}) => id !== conversation.id)].filter((item) => !item.hidden)
        .sort((first, second) => latest(second).localeCompare(latest(first)));
      return draw();
    },
  };
}

const nameOf = (partner) => partner.name ?? fullName(partner);

const latest = ({last_message: last, created_at: at}) => last?.at ?? at;

/** What a list says of a message. */
function wordsOfMessage(message) {
  if (!message) return t('nothingSaid');
  return message.deleted ? t('takenBack') : message.text ?? t('aPicture');
}
