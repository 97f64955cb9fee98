// Notifications of this browser: asked for once and with a reason, registered anew at each start, given up at sign-out.
import {ask, get} from './ask.js';
import {h, say, wordsOf} from './dom.js';
import {t} from './words.js';

// The name of this browser among the account's devices, as long as it is to be told; else that it is not.
const place = 'kurir.device';
const never = 'none';
// Where the service worker finds whose notifications these are.
const shelf = 'kurir.push';

// What each view shows of what notifications tell; `answer` is what the worker says of what was done on one.
const kindsOf = {
  jobs: ['delivery_offered', 'delivery_changed', 'delivery_reassigned', 'delivery_reopened', 'delivery_cancelled', 'delivery_late', 'answer'],
  board: ['delivery_accepted', 'delivery_delivered', 'delivery_returned', 'delivery_stranded', 'delivery_unaccepted', 'delivery_late', 'attempt_failed'],
  thread: ['message_received'],
  partners: ['invite', 'partner_joined', 'partnership_ended'],
  cancellations: ['cancellation_contested', 'cancellation_excused'],
  news: ['bulletin_published'],
};

// Browsers that refuse texts as addresses of scripts take them from here.
const policy = window.trustedTypes?.createPolicy('kurir', {createScriptURL: (url) => url});

const pageOf = (kind) => (kind === 'store' ? '/store' : '/courier');

/** Has the service worker stand by for a page. */
export const standBy = (kind) => navigator.serviceWorker
  ?.register(policy ? policy.createScriptURL('/worker.js') : '/worker.js', {scope: pageOf(kind)});

/** The device that a session takes along when it ends. */
export function device() {
  const name = localStorage.getItem(place);
  return name === never ? null : name;
}

/** The server's key, if it sends notifications and this browser can show them. */
async function keyHere() {
  if (!('PushManager' in window && 'Notification' in window && navigator.serviceWorker)) return null;
  return (await get('/v1/about')).web_push_key ?? null;
}

async function register(account, key, name) {
  await standBy(account.kind);
  const worker = await navigator.serviceWorker.getRegistration(pageOf(account.kind));
  const options = {userVisibleOnly: true, applicationServerKey: key};
  const subscription = await worker.pushManager.subscribe(options).catch(async () => {
    // One for another key is in the way.
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(options);
  });
  const {endpoint, keys} = subscription.toJSON();
  await ask('PUT', `/v1/me/devices/${name}`, {platform: 'webpush', endpoint, keys});
  await (await caches.open(shelf)).put('/', Response.json({account: account.id, device: name, server: key}));
}

/** Asks the browser's own question, unless it is answered; gives whether this browser is told from now on. */
async function turnOn(account, key) {
  if (await Notification.requestPermission() !== 'granted') {
    localStorage.setItem(place, never);
    return false;
  }
  const name = device() ?? crypto.randomUUID();
  await register(account, key, name);
  localStorage.setItem(place, name);
  return true;
}

async function turnOff() {
  const name = device();
  localStorage.setItem(place, never);
  if (name) await ask('DELETE', `/v1/me/devices/${name}`).catch((error) => { if (error.status !== 404) throw error; });
}

/** Registers anew where it is on; else, if nobody has asked yet, a card that says what it is for. */
export function asking(account) {
  const card = h('section', {class: 'panel', 'aria-label': t('askPush'), hidden: true});
  keyHere().then((key) => {
    if (!key) return;
    if (localStorage.getItem(place) === never || Notification.permission === 'denied') return;
    // Without the browser's word it would ask, and nobody knew why.
    if (device() && Notification.permission === 'granted') return register(account, key, device()).catch(() => {});
    const answer = (action) => () => {
      card.remove();
      action().catch((error) => say(wordsOf(error)));
    };
    card.append(h('h2', {}, t('askPush')), h('p', {}, t(`whyPush_${account.kind}`)), h('p', {class: 'actions'},
      h('button', {type: 'button', class: 'main', onclick: answer(async () => {
        say(t(await turnOn(account, key) ? 'pushOn' : 'pushRefused'));
      })}, t('allowPush')),
      h('button', {type: 'button', onclick: answer(async () => localStorage.setItem(place, never))}, t('notNow'))));
    card.hidden = false;
  }, () => {});
  return card;
}

/** The switch of this browser, or why there is none. */
export function pushSwitch(account) {
  const region = h('div');
  keyHere().then((key) => {
    if (!key) return region.append(h('p', {class: 'hint'}, t('noPush')));
    if (Notification.permission === 'denied') return region.append(h('p', {class: 'hint'}, t('pushRefused')));
    const box = h('input', {type: 'checkbox', checked: Boolean(device()), onchange: async () => {
      try {
        if (box.checked) box.checked = await turnOn(account, key); else await turnOff();
        say(t(box.checked ? 'pushOn' : Notification.permission === 'denied' ? 'pushRefused' : 'pushOff'));
      } catch (error) {
        box.checked = Boolean(device());
        say(wordsOf(error));
      }
    }});
    region.append(h('label', {class: 'choice'}, box, h('span', {}, t('pushHere'))));
  }, (error) => region.append(h('p', {class: 'hint'}, wordsOf(error))));
  return region;
}

/** Takes away the notifications of some kinds of which `isOver` says that they are, by what they tell. */
export async function closeNotices(kinds, isOver) {
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const notice of await worker?.getNotifications?.() ?? []) if (kinds.includes(notice.data?.kind) && isOver(notice.data)) notice.close();
}

/** Those are over that tell of what somebody sees in a view now. */
export function noticed(view, isShown = () => true) {
  if (!document.hidden) closeNotices(kindsOf[view], isShown);
}
