// What there is to be read: words for everybody, and what stores tell their couriers; a store writes here what it tells its own.
import {ask, get, keeper, lasting, post} from './ask.js';
import {moment} from './delivery.js';
import {confirmed, h, keep, loading, openDialog, redraw, s, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {icon} from './icons.js';
import {noticed} from './push.js';
import {t} from './words.js';

const signs = {news: 'news', road: 'road', weather: 'day', store: 'write'};

export function news(region, {account}) {
  const list = h('div', {class: 'news-list'});
  const more = h('button', {type: 'button', hidden: true, onclick: () => { pages += 1; load(); }}, t('more'));
  const total = h('p', {class: 'hint', role: 'status'});
  let pages = 1;

  /** As many pages as are shown. What was read last is there without a connection, too. */
  async function read() {
    const items = [];
    let page;
    for (let number = 0; number < pages && page?.next_cursor !== null; number += 1) {
      page = await get('/v1/bulletin', {cursor: page?.next_cursor});
      items.push(...page.items);
    }
    return {...page, items};
  }

  const load = () => loading(list, () => lasting('news', read), ({items, total: count, next_cursor: next}) => {
    more.hidden = !next;
    total.textContent = items.length ? t('newsCount', {count}) : '';
    redraw(() => { if (items.length) show(items); else list.replaceChildren(nothing()); });
    noticed('news');
  });

  function show(items) {
    const articles = list.firstElementChild?.matches('ul') ? list.firstElementChild : h('ul', {'aria-label': t('news')});
    if (!articles.isConnected) list.replaceChildren(articles);
    keep(articles, items, JSON.stringify, article);
  }

  const article = ({id, title, text, link, source, category, urgent, store_id: store, published_at: at}) => h('li', {class: `panel ${category}`}, h('article', {},
    h('p', {class: 'hint'}, h('span', {class: 'category'}, icon(signs[category]), ' ', t(`news_${category}`)), ` · ${source} · `, moment(at),
      urgent && h('strong', {class: 'warning'}, ' ', t('urgent'))),
    h('h2', {}, title), text && h('p', {class: 'words'}, text),
    (link || store === account.id) && h('p', {class: 'actions'},
      link && h('a', {href: link, class: 'button', target: '_blank', rel: 'noopener noreferrer'}, t('readMore')),
      store === account.id && h('button', {type: 'button', class: 'quiet danger', 'aria-label': t('removeNews', {title}), onclick: () => remove(id, title)}, t('removeNewsShort')))));

  const nothing = () => h('div', {class: 'nothing'},
    s('svg', {viewBox: '0 0 96 72', 'aria-hidden': 'true'}, s('path', {d: 'M10 12h60v48a6 6 0 0 1-6 6H16a6 6 0 0 1-6-6zM70 26h16v34a6 6 0 0 1-6 6H64M20 24h40M20 36h16v18H20zM44 36h16M44 45h16M44 54h16'})),
    h('p', {}, t(account.kind === 'store' ? 'noNewsStore' : 'noNews')));

  async function remove(id, title) {
    if (!await confirmed(t('removeNews', {title}), t('removeNewsText'), t('removeNewsShort'))) return;
    await ask('DELETE', `/v1/bulletin/${id}`).catch((error) => say(wordsOf(error)));
    load();
  }

  function write() {
    const keyOf = keeper();
    const fields = [
      {name: 'title', label: t('newsTitle'), required: true}, {name: 'text', label: t('newsText'), required: true, rows: 4},
      {name: 'link', label: t('newsLink'), type: 'url', hint: t('newsLinkHint')}, {name: 'urgent', label: t('urgent'), type: 'checkbox', hint: t('urgentHint')},
    ];
    const dialog = openDialog(t('tellCouriers'), form(fields, t('publish'), async (values) => {
      const made = await post('/v1/bulletin', values, {key: keyOf(values)});
      dialog.close();
      say(t(values.urgent && !made.urgent ? 'newsNotUrgent' : 'newsPublished'));
      load();
    }, {cancel: () => dialog.close(), draft: 'news'}));
  }

  if (account.kind === 'store') region.append(h('p', {class: 'tools'}, h('button', {type: 'button', class: 'main', onclick: write}, t('tellCouriers'))));
  region.append(total, list, h('p', {class: 'actions'}, more));
  load();
  return {onFresh: load, hears: ['bulletin'], onEvent: load};
}
