// What both pages have: who is signed in, the bar with its views, and the feed that keeps them true.
import {newVisit, onSignedOut} from './ask.js';
import {endLeft, entrance, forget, refreshed, remembered, signOut} from './account.js';
import {closeAll, closeUntyped, h, isTyping, mark, say} from './dom.js';
import {dutySwitch} from './duty.js';
import {follow} from './feed.js';
import {icon} from './icons.js';
import {fetchLater, loaded} from './later.js';
import {unsent} from './outgoing.js';
import {asking, device} from './push.js';
import {tabs} from './tabs.js';
import {tally} from './tally.js';
import {unread} from './unread.js';
import {choose, isLoaded, load, t, when} from './words.js';

// Milliseconds without the feed after which that is said: a moment is nothing to tell of.
const outage = 5000;
// Milliseconds after which it is asked for how the account is.
const lookAgain = 30_000;

/**
 * Starts a page. `views` are functions by name, which fill a region and may give `{hears, onEvent, onFresh, look, leave}`: `hears`
 * has the first words of the types of events that `onEvent` is told of, and `look` shows one delivery. A view also gets what stands
 * behind its name in the address. The first view is where one begins. `invite` holds the code that somebody comes with, if any. `hand` says
 * what waits for a hand, which the first view counts itself. `onFresh` is told, whatever is shown, that there is a connection, and
 * `onEvent` of everything that happens.
 */
export function start(kind, views, {hand, invite = {}, onFresh = () => {}, onEvent = () => {}} = {}) {
  let stop = () => {};
  let forgotten = forgottenBy(location.hash);
  const asked = new Set();

  function enter(notice) {
    stop();
    stop = () => {};
    closeAll();
    newVisit();
    dispatchEvent(new Event('dress'));
    const account = remembered();
    const language = account?.language;
    // Without a connection one goes on in the language that there is.
    if (language && !isLoaded(language) && !asked.has(language)) {
      asked.add(language);
      load(language).catch(() => {}).then(() => enter(notice));
      return;
    }
    if (account) choose(language);
    if (account?.kind === kind) {
      // Who is signed in already, or signs in, joins with the code; who registered with it has.
      if (invite.code && !location.hash.startsWith('#/')) history.replaceState(null, '', '#/stores');
      stop = work(account, views, {hand, enter, speakOtherwise, leave, out, onFresh, onEvent});
    } else {
      document.title = 'Kurir';
      const content = account ? elsewhere(account) : entrance(kind, entered, {code: invite.code, notice, forgotten});
      forgotten = undefined;
      document.body.replaceChildren(h('header', {class: 'bar'}, h('a', {class: 'brand', href: '/'}, mark(), 'Kurir')),
        h('main', {tabindex: '-1'}, content));
    }
  }

  // What is being typed is finished in the language in which it was begun.
  function speakOtherwise() {
    if (isTyping()) document.addEventListener('close', () => setTimeout(speakOtherwise), {capture: true, once: true}); else enter();
  }

  function entered(isPartner, isNew) {
    if (isPartner) {
      invite.code = undefined;
      history.replaceState(null, '', '#/');
    }
    if (/^#(reset|new)/.test(location.hash)) history.replaceState(null, '', '#/');
    enter();
    document.querySelector('main').focus();
    if (isNew) loaded('identity').then(({askNew}) => askNew(remembered(), enter), () => {});
  }

  function leave(notice) {
    forget();
    enter(notice);
  }

  function out() {
    signOut(device());
    leave();
  }

  function elsewhere(account) {
    const [place, words] = account.kind === 'store' ? ['/store', 'toStores'] : ['/courier', 'toCouriers'];
    const joins = Boolean(invite.code);
    return h('div', {class: 'entrance panel'}, h('h1', {}, joins ? t('invite_title') : 'Kurir'), h('p', {}, t('signedInElsewhere', {name: nameOf(account)}), ' ', joins && t('inviteElsewhere')),
      h('p', {class: 'actions'}, h('a', {href: place, class: 'button main'}, t(words)), h('button', {type: 'button', onclick: out}, t('signOut'))));
  }

  onSignedOut(() => leave(t('sessionOver')));
  window.addEventListener('online', endLeft);
  // In another tab somebody signed in or out.
  window.addEventListener('storage', ({key, oldValue, newValue}) => {
    if (key !== 'kurir.account') return;
    const [was, is] = [oldValue, newValue].map((value) => JSON.parse(value) ?? {});
    if (was.id !== is.id) enter(); else if (was.language !== is.language) speakOtherwise();
  });
  enter();
}

/** What the link of a message about a forgotten password says, which may be nothing but that one was forgotten. */
function forgottenBy(hash) {
  const [, isForgotten, id, digits] = hash.match(/^(#reset)(?:=([\w-]+)\.(\d+))?$/) ?? [];
  return isForgotten && {id, digits};
}

export const nameOf = (account) => account.name ?? `${account.first_name} ${account.last_name}`;

function work(account, views, {hand, enter, speakOtherwise, leave, out, onFresh, onEvent}) {
  const main = h('main', {id: 'main', tabindex: '-1'});
  const light = h('span', {class: 'light', role: 'status'}, t('notLive'));
  const since = h('span', {class: 'age'});
  const waits = h('span');
  const trouble = h('span', {}, t('offline')), banner = h('p', {class: 'banner out', role: 'status', hidden: navigator.onLine}, trouble, ' ', since, ' ', waits);
  // What is still to be proven waits for nothing, and nothing waits for it.
  const proof = h('div');
  // What could not be loaded without a connection is loaded when there is one.
  let drawProof = () => loaded('identity').then(({unproven}) => { drawProof = unproven(account, proof); }, () => {});
  drawProof();
  const duty = dutySwitch(account);
  const {bar, links, fit, mark: markTab} = tabs(Object.keys(views), out);
  const asks = h('div', {class: 'asks'}, asking(account));
  const own = h('div', {class: 'sheet', id: 'own', popover: '', onclick: () => own.hidePopover()},
    h('a', {class: 'button quiet', href: '#/settings'}, t('settings')), h('button', {type: 'button', class: 'quiet', onclick: out}, t('signOut')));
  const news = unread(account, links.find(({hash}) => hash === '#/messages'), fit);
  const again = h('button', {type: 'button', class: 'plain again', 'aria-label': t('refresh'), title: t('refresh'), onclick: refresh}, icon('again'));
  const elsewhere = tally(hand, count);
  const [first] = Object.keys(views);
  let view = {}, name, waiting = 0, silence, heard;

  function show() {
    const wanted = location.hash.match(/^#delivery=([\w-]+)$/)?.[1];
    const [asked, part] = location.hash.slice(2).split('/');
    name = Object.hasOwn(views, asked) ? asked : first;
    if (wanted) history.replaceState(null, '', `#/${name}`);
    view.leave?.();
    markTab(name);
    // Where one begins, and nowhere in the way.
    asks.hidden = name !== first;
    closeUntyped();
    const region = h('div', {class: `view ${name}`});
    main.replaceChildren(h('h1', {}, t(name)), region);
    view = views[name](region, {account, enter, leave, out, count, part}) ?? {};
    if (name === first) elsewhere.rest(); else elsewhere.watch();
    entitle();
    if (wanted) view.look?.(wanted);
  }

  /** How many wait for somebody's hand, which the title and the app's icon show. */
  function count(number) {
    if (number === waiting) return;
    waiting = number;
    (number ? navigator.setAppBadge?.(number) : navigator.clearAppBadge?.())?.catch(() => {});
    entitle();
  }

  function entitle() {
    document.title = `${waiting ? `(${waiting}) ${t(account.kind === 'store' ? 'needsHand' : 'offers')}` : t(name)} · Kurir`;
  }

  async function refresh() {
    again.classList.add('turning');
    await Promise.allSettled([update(), view.onFresh?.()]);
    again.classList.remove('turning');
  }

  /** What is remembered may have been changed elsewhere, also who is signed in. */
  async function update() {
    const fresh = await refreshed();
    const {id, language} = account;
    Object.assign(account, fresh);
    drawProof();
    duty.draw();
    if (fresh.id !== id) enter(); else if (fresh.language !== language) speakOtherwise();
  }

  function tell() {
    const isOut = navigator.onLine && !document.hidden && !light.classList.contains('on');
    trouble.textContent = t(navigator.onLine ? 'outage' : 'offline');
    if (heard) since.textContent = t('asOf', {time: when(heard)});
    const count = unsent();
    waits.textContent = count ? t('waitToBeSent', {count}) : '';
    if (isOut) silence ??= setTimeout(() => { banner.hidden = false; }, outage);
    else {
      clearTimeout(silence);
      silence = undefined;
      banner.hidden = navigator.onLine;
    }
  }

  document.body.replaceChildren(
    h('a', {class: 'skip', href: '#main', onclick: (event) => { event.preventDefault(); main.focus(); }}, t('skip')),
    h('header', {class: 'bar'}, h('strong', {class: 'brand'}, mark(), 'Kurir'), bar,
      duty.button, h('button', {type: 'button', class: 'who', popovertarget: 'own'}, h('span', {}, nameOf(account))), own, light, again),
    banner, proof, asks, main);
  show();

  const listeners = [
    ['hashchange', () => { show(); main.focus({preventScroll: true}); scrollTo(0, 0); }], ['online', tell], ['offline', tell],
    ['visibilitychange', tell], ['unsent', tell],
  ];
  for (const [event, listener] of listeners) window.addEventListener(event, listener);
  let unpull = () => {}, isOver = false;
  loaded('pull').then(({pullToRefresh}) => { if (!isOver) unpull = pullToRefresh(main, refresh); }, () => {});
  // A notification was touched, or what was accepted on one is done.
  const hear = ({data: {goes, said}}) => {
    if (said) say(said);
    // What is there already is loaded anew: it may be what was heard of.
    if (goes && location.hash === goes) refresh(); else if (goes) location.hash = goes;
  };
  navigator.serviceWorker?.addEventListener('message', hear);
  const unfollow = follow({
    onFresh() {
      onFresh();
      update().catch(() => {});
      news.load();
      // What the view does not load anew by itself.
      Promise.allSettled([view.onFresh?.()]).then(() => dispatchEvent(new Event('fresh')));
      elsewhere.onFresh();
      fetchLater();
    },
    onEvent(event) {
      onEvent(event);
      news.onEvent(event);
      elsewhere.onEvent(event);
      // What stands beside a view hears of all of it.
      dispatchEvent(new CustomEvent('heard', {detail: event}));
      if (view.hears?.includes(event.type.split('.')[0])) view.onEvent(event);
    },
    onLive(isLive) {
      // Until when what is on the screen was surely true.
      if (isLive || light.classList.contains('on')) heard = Date.now();
      light.classList.toggle('on', isLive);
      light.textContent = t(isLive ? 'live' : 'notLive');
      tell();
    },
  }, account.kind === 'store' && account.id);
  update().catch(() => {});
  // What was set on another device is so here, too.
  const clock = setInterval(() => document.hidden || update().catch(() => {}), lookAgain);

  return () => {
    clearInterval(clock);
    elsewhere.rest();
    count(0);
    clearTimeout(silence);
    view.leave?.();
    unfollow();
    isOver = true;
    unpull();
    navigator.serviceWorker?.removeEventListener('message', hear);
    for (const [event, listener] of listeners) window.removeEventListener(event, listener);
  };
}
