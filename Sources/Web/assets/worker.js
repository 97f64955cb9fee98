// Keeps the courier's page at hand, so that it opens without a connection, and shows notifications. What the API says is not
// kept here.
const version = '{version}';
const files = [{files}];
const words = {words};
// Milliseconds that a connection may take before the page that is at hand is shown.
const patience = 3000;
// A session that was left without a connection, as account.js notes it.
const leaving = 'kurir.leaving';
// What was accepted on a notification and is not answered yet, as outgoing.js takes it over.
const outgoing = 'kurir.outgoing';
// Whose notifications these are, as push.js notes it.
const shelf = 'kurir.push';
const lasting = [leaving, outgoing, shelf];

// Where one sees what is told of no one delivery.
const views = {
  invite: '#/stores', partnership_ended: '#/stores', cancellation_excused: '#/stores', partner_joined: '#/partners', cancellation_contested: '#/partners',
  bulletin_published: '#/news',
};

// A phone keeps the languages that are spoken on it, and not the others.
const languageOf = (path) => path.match(/language-\w+/)?.[0];

self.addEventListener('install', (event) => event.waitUntil(install().then(() => self.skipWaiting())));

async function install() {
  const before = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
  const spoken = before.flat().map(({url}) => languageOf(url)).filter(Boolean);
  const wanted = files.filter((file) => !languageOf(file) || spoken.includes(languageOf(file)));
  await (await caches.open(version)).addAll(['/courier', ...wanted]);
}

self.addEventListener('message', (event) => {
  const {speaks} = event.data;
  if (speaks) event.waitUntil(caches.open(version).then((cache) => cache.addAll(files.filter((file) => languageOf(file) === `language-${speaks}`))));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== version && !lasting.includes(name)).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const path = new URL(event.request.url).pathname;
  if (event.request.mode === 'navigate' && path === '/courier') event.respondWith(page(event.request));
  else if (files.includes(path)) event.respondWith(caches.match(path).then((kept) => kept ?? fetch(event.request)));
});

self.addEventListener('sync', (event) => {
  if (event.tag === leaving) event.waitUntil(navigator.locks.request(leaving, endLeft));
  if (event.tag === outgoing) event.waitUntil(sendAll());
});

// What says nothing is still to be shown: browsers take away the right to be told by what is not seen.
self.addEventListener('push', (event) => {
  const told = event.data?.json() ?? {title: 'Kurir', body: ''};
  event.waitUntil(tell(told).then(() => closeOffers(told.data?.delivery_id)));
});

// The browser is to be told at another place from now on.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(move(event)));

self.addEventListener('notificationclick', (event) => {
  const {notification, action} = event;
  notification.close();
  const {kind, delivery_id: id, conversation_id: talk, language} = notification.data;
  event.waitUntil(action === 'accept' ? accept(id, language) : open(views[kind] ?? (talk ? `#/messages/${talk}` : id ? `#delivery=${id}` : '')));
});

const t = (name, language) => (words[language] ?? words.en)[name];

/** A later notice of a delivery or a conversation stands for the earlier ones. */
function tell({kind, title, body, data = {}, language}) {
  const actions = kind === 'delivery_offered'
    ? [{action: 'accept', title: t('do_accept', language)}, {action: 'look', title: t('look', language)}] : [];
  const text = data.due_at ? `${body} · ${t('byTime', language).replace('{time}', clock(new Date(data.due_at), language))}` : body;
  return show(title, text, {...data, kind, language}, actions);
}

/** Closes offers that are over, but for the one that was just told of: no page may be open that does. */
async function closeOffers(fresh) {
  const notices = await inTurn(() => self.registration.getNotifications());
  const offers = notices.filter(({data}) => data?.kind === 'delivery_offered' && data.delivery_id !== fresh);
  await Promise.all(offers.map(async (notice) => { if (await isOver(notice.data.delivery_id)) notice.close(); }));
}

/** Whether a delivery is certainly on offer no more. */
async function isOver(id) {
  const answer = await fetch(`/v1/deliveries/${id}`).catch(() => null);
  return answer?.status === 404 || Boolean(answer?.ok) && !(await answer.json()).allowed_actions.includes('decline');
}

/** The time of day, and the day unless it is today. */
function clock(time, language) {
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(language, {hour: '2-digit', minute: '2-digit', ...(isToday ? {} : {weekday: 'short'})});
}

const show = (title, body, data, actions = []) => inTurn(() => self.registration.showNotification(title, {
  body, actions, data, lang: data.language, tag: data.delivery_id ?? data.conversation_id, renotify: Boolean(data.delivery_id ?? data.conversation_id), icon: '{assets}/icon.png', badge: '{assets}/icon.png',
  vibrate: [180, 90, 180],
}));

// Chromium forgets a notification that is only about to be seen when all are asked for: it could be neither touched nor closed.
const inTurn = (action) => (navigator.locks ? navigator.locks.request('kurir.notices', action) : action());

const pages = () => self.clients.matchAll({type: 'window', includeUncontrolled: true})
  .then((all) => all.filter(({url}) => url.startsWith(self.registration.scope)));

/** In the page that is open already, if there is one. */
async function open(hash) {
  const [page] = await pages();
  if (!page) return self.clients.openWindow(self.registration.scope + hash);
  // One that may not come to the front goes there all the same.
  await page.focus().catch(() => {});
  page.postMessage({goes: hash});
}

/** Whose notifications these are, if anybody's. */
const whose = async () => await (await caches.match('/', {cacheName: shelf}))?.json() ?? {};

/** Registers the new subscription in place of the old one, by the name that push.js has noted. */
async function move({oldSubscription: old, newSubscription: given}) {
  const noted = await whose();
  if (!noted.device) return;
  const subscription = given ?? await self.registration.pushManager.subscribe(
    {userVisibleOnly: true, applicationServerKey: old?.options.applicationServerKey ?? noted.server});
  const {endpoint, keys} = subscription.toJSON();
  await fetch(`/v1/me/devices/${noted.device}`, {method: 'PUT', headers: {'Content-Type': 'application/json', 'X-Requested-With': 'kurir'},
    body: JSON.stringify({platform: 'webpush', endpoint, keys})});
}

/** Kept before it is sent, with a key, so that it takes effect once whoever sends it at last. */
async function accept(id, language) {
  const {account} = await whose();
  if (!account) return open(`#delivery=${id}`);
  const item = {key: crypto.randomUUID(), account, id, action: 'accept', body: {}, language};
  await (await caches.open(outgoing)).put(`/${item.key}`, Response.json(item));
  if (await send(item)) return;
  await say(item, t('willBeSent', language).replace('{action}', t('do_accept', language)));
  await self.registration.sync?.register(outgoing).catch(() => {});
}

/** Whether the server has said what comes of it, which is then said here. */
async function send(item) {
  const headers = {'Content-Type': 'application/json', 'X-Requested-With': 'kurir', 'Idempotency-Key': item.key, 'Accept-Language': item.language};
  const answer = await fetch(`/v1/deliveries/${item.id}/accept`, {method: 'POST', headers, body: '{}'}).catch(() => null);
  if (!answer || answer.status >= 500 || [401, 408, 429].includes(answer.status)) return false;
  const {detail, code} = await answer.json();
  if (code === 'request_in_progress') return false;
  await (await caches.open(outgoing)).delete(`/${item.key}`);
  await say(item, answer.ok ? t('done_accept', item.language) : detail);
  return true;
}

async function sendAll() {
  const [cache, {account}] = [await caches.open(outgoing), await whose()];
  for (const request of await cache.keys()) {
    const item = await (await cache.match(request))?.json();
    // What somebody else has accepted waits until they are back.
    if (item?.account === account && !await send(item)) throw new Error(`${item.id} is not accepted yet`);
  }
}

/** On the page, if somebody looks at it. */
async function say({id, language}, text) {
  const page = (await pages()).find(({visibilityState}) => visibilityState === 'visible');
  if (page) page.postMessage({said: text}); else await show('Kurir', text, {kind: 'answer', delivery_id: id, language});
}

/** Ends it unless a page has. What fails is tried again by the browser. */
async function endLeft() {
  const kept = await caches.match('/', {cacheName: leaving});
  if (!kept) return;
  const left = await fetch(`/v1/sessions/current${await kept.text()}`, {method: 'DELETE', headers: {'X-Requested-With': 'kurir'}});
  if (left.status >= 500 || left.status === 429) throw new Error(`The session did not end: ${left.status}`);
  await caches.delete(leaving);
}

async function page(request) {
  const kept = await caches.match('/courier');
  try {
    const answer = await fetch(request, kept && {signal: AbortSignal.timeout(patience)});
    return answer.ok || !kept ? answer : kept;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}
