// What both pages have: who is signed in, the bar with its views, and the feed that keeps them true.
import {newVisit, onSignedOut} from './ask.js';
import {endLeft, entrance, forget, refreshed, remembered, signOut} from './account.js';
import {h} from './dom.js';
import {follow} from './feed.js';
import {askForCode, isProven, unproven} from './identity.js';
import {choose, t} from './words.js';

/**
 * Starts a page. `views` are functions by name, which fill a region and may give `{hears, onEvent, onFresh, leave}`: `hears`
 * has the first words of the types of events that `onEvent` is told of. The first view is where one begins. `invite` holds
 * the code that somebody comes with, if any, and `onFresh` is told, whatever is shown, that there is a connection.
 */
export function start(kind, views, {invite = {}, onFresh = () => {}} = {}) {
  let stop = () => {};
  let forgotten = forgottenBy(location.hash);

  function enter(notice) {
    stop();
    stop = () => {};
    newVisit();
    const account = remembered();
    if (account) choose(account.language);
    if (account?.kind === kind) {
      // Who is signed in already, or signs in, joins with the code; who registered with it has.
      if (invite.code && !location.hash.startsWith('#/')) history.replaceState(null, '', '#/stores');
      stop = work(account, views, {enter, leave, onFresh});
    } else {
      document.title = 'Kurir';
      const content = account ? elsewhere(account) : entrance(kind, entered, {code: invite.code, notice, forgotten});
      forgotten = undefined;
      document.body.replaceChildren(h('main', {tabindex: '-1'}, content));
    }
  }

  function entered(isPartner, isNew) {
    if (isPartner) {
      invite.code = undefined;
      history.replaceState(null, '', '#/');
    }
    if (location.hash.startsWith('#reset')) history.replaceState(null, '', '#/');
    enter();
    document.querySelector('main').focus();
    const account = remembered();
    if (isNew && !isProven(account)) askForCode(account, enter);
  }

  function leave(notice) {
    forget();
    enter(notice);
  }

  function elsewhere(account) {
    const [place, words] = account.kind === 'store' ? ['/', 'toStores'] : ['/courier', 'toCouriers'];
    const out = () => { signOut(); leave(); };
    return h('div', {class: 'entrance'}, h('h1', {}, 'Kurir'), h('p', {}, t('signedInElsewhere', {name: nameOf(account)})),
      h('p', {class: 'actions'}, h('a', {href: place}, t(words)), h('button', {type: 'button', onclick: out}, t('signOut'))));
  }

  onSignedOut(() => leave(t('sessionOver')));
  window.addEventListener('online', endLeft);
  // In another tab somebody signed in or out.
  window.addEventListener('storage', ({key, oldValue, newValue}) => {
    const who = (value) => { const {id, language} = JSON.parse(value) ?? {}; return `${id} ${language}`; };
    if (key === 'kurir.account' && who(oldValue) !== who(newValue)) enter();
  });
  enter();
}

/** What the link of a message about a forgotten password says, which may be nothing but that one was forgotten. */
function forgottenBy(hash) {
  const [, isForgotten, id, digits] = hash.match(/^(#reset)(?:=([\w-]+)\.(\d+))?$/) ?? [];
  return isForgotten && {id, digits};
}

export const nameOf = (account) => account.name ?? `${account.first_name} ${account.last_name}`;

function work(account, views, {enter, leave, onFresh}) {
  const main = h('main', {id: 'main', tabindex: '-1'});
  const light = h('span', {class: 'light', role: 'status'}, t('notLive'));
  const banner = h('p', {class: 'banner', role: 'status', hidden: navigator.onLine}, t('offline'));
  const proof = unproven(account);
  const links = Object.keys(views).map((name) => h('a', {href: `#/${name}`}, t(name)));
  let view = {};

  function show() {
    const asked = location.hash.slice(2);
    const name = Object.hasOwn(views, asked) ? asked : Object.keys(views)[0];
    view.leave?.();
    for (const link of links) {
      if (link.hash === `#/${name}`) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
    }
    document.title = `${t(name)} · Kurir`;
    for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
    const region = h('div', {class: `view ${name}`});
    main.replaceChildren(h('h1', {}, t(name)), region);
    view = views[name](region, {account, enter, leave}) ?? {};
  }

  document.body.replaceChildren(
    h('a', {class: 'skip', href: '#main', onclick: (event) => { event.preventDefault(); main.focus(); }}, t('skip')),
    h('header', {class: 'bar'}, h('strong', {class: 'brand'}, 'Kurir'), h('nav', {'aria-label': t('navigation')}, links),
      h('span', {class: 'who'}, nameOf(account)), light),
    banner, proof.line, main);
  show();

  const listeners = [
    ['hashchange', () => { show(); main.focus({preventScroll: true}); scrollTo(0, 0); }],
    ['online', () => { banner.hidden = true; }], ['offline', () => { banner.hidden = false; }],
  ];
  for (const [name, listener] of listeners) window.addEventListener(name, listener);
  const unfollow = follow({
    onFresh() {
      onFresh();
      view.onFresh?.();
    },
    onEvent(event) { if (view.hears?.includes(event.type.split('.')[0])) view.onEvent(event); },
    onLive(isLive) {
      light.classList.toggle('on', isLive);
      light.textContent = t(isLive ? 'live' : 'notLive');
    },
  });
  // What is remembered may have been changed elsewhere, also who is signed in.
  refreshed().then((fresh) => {
    const isOther = fresh.id !== account.id || fresh.language !== account.language;
    Object.assign(account, fresh);
    proof.draw();
    if (isOther) enter();
  }, () => {});

  return () => {
    view.leave?.();
    unfollow();
    for (const [name, listener] of listeners) window.removeEventListener(name, listener);
  };
}
