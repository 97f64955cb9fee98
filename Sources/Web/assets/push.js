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

const canShow = () => 'PushManager' in window && 'Notification' in window && Boolean(navigator.serviceWorker);

/** Phones that show notifications of apps on the Home Screen alone say so by this. The couriers' page can be put there. */
const isToBeAdded = ({kind}) => kind === 'courier' && !canShow() && navigator.standalone === false;

/** The server's key, if it sends notifications and this browser can show them, or could. */
async function keyFor(account) {
  if (!canShow() && !isToBeAdded(account)) return null;
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

/** Only when the server knows of it nothing is told here: the name is kept until then. */
async function turnOff() {
  const name = device();
  if (name) await ask('DELETE', `/v1/me/devices/${name}`).catch((error) => { if (error.status !== 404) throw error; });
  localStorage.setItem(place, never);
  // Else the worker would register it once more when the browser changes its subscription.
  await window.caches?.delete(shelf);
}

/**
 * How it stands with notifications on this browser, if there are any: `on`, `denied`, `open`, or `add` where the page is to be put on the
 * Home Screen first; `why` names the words of why they cannot be allowed here now. `allow` asks for them, and `renew` registers anew.
 */
export async function standing(account) {
  const key = await keyFor(account);
  if (!key) return undefined;
  const state = !canShow() ? 'add' : Notification.permission === 'denied' ? 'denied' : device() && Notification.permission === 'granted' ? 'on' : 'open';
  return {state, why: {add: 'addToHome', denied: 'pushRefused'}[state], allow: () => turnOn(account, key), renew: () => register(account, key, device())};
}

/** Registers anew where it is on; else, if nobody has asked yet, a card that says what it is for. */
export function asking(account) {
  const card = h('section', {class: 'panel', 'aria-label': t('askPush'), hidden: true});
  standing(account).then((push) => {
    if (!push || push.state === 'denied' || localStorage.getItem(place) === never) return;
    // Without the browser's word it would ask, and nobody knew why.
    if (push.state === 'on') return push.renew().catch(() => {});
    const isPossible = push.state === 'open';
    const answer = (action) => () => {
      card.remove();
      action().catch((error) => say(wordsOf(error)));
    };
    card.append(h('h2', {}, t('askPush')), h('p', {}, t(`whyPush_${account.kind}`)), isPossible ? '' : h('p', {}, t('addToHome')), h('p', {class: 'actions'},
      isPossible && h('button', {type: 'button', class: 'main', onclick: answer(async () => {
        say(t(await push.allow() ? 'pushOn' : 'pushRefused'));
      })}, t('allowPush')),
      h('button', {type: 'button', onclick: answer(async () => localStorage.setItem(place, never))}, t('notNow'))));
    card.hidden = false;
  }, () => {});
  return card;
}

/** The switch of this browser, or why there is none. */
export function pushSwitch(account) {
  const region = h('div');
  standing(account).then((push) => {
    const why = push ? push.why : 'noPush';
    if (why) return region.append(h('p', {class: 'hint'}, t(why)));
    const box = h('input', {type: 'checkbox', checked: Boolean(device()), onchange: async () => {
      try {
        if (box.checked) box.checked = await push.allow(); else await turnOff();
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

async function notices() {
  const worker = await navigator.serviceWorker?.getRegistration();
  return await navigator.locks?.request('kurir.notices', () => worker?.getNotifications?.()) ?? [];
}

/** Takes away the notifications of some kinds of which `isOver` says that they are, by what they tell. */
export async function closeNotices(kinds, isOver) {
  for (const notice of await notices()) if (kinds.includes(notice.data?.kind) && isOver(notice.data)) notice.close();
}

/** Takes away what was told to whoever is not signed in any more; the service worker does nothing more in that name. */
export async function forgetNotices() {
  await window.caches?.delete(shelf);
  for (const notice of await notices()) notice.close();
}

/** Those are over that tell of what somebody sees in a view now. */
export function noticed(view, isShown = () => true) {
  if (!document.hidden) closeNotices(kindsOf[view], isShown);
}
