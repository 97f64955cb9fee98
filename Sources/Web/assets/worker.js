// Keeps the courier's page at hand, so that it opens without a connection. What the API says is not kept here.
const version = '{version}';
const files = [{files}];
// Milliseconds that a connection may take before the page that is at hand is shown.
const patience = 3000;
// A session that was left without a connection, as account.js notes it.
const leaving = 'kurir.leaving';

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(['/courier', ...files])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== version && name !== leaving).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const path = new URL(event.request.url).pathname;
  if (event.request.mode === 'navigate' && path === '/courier') event.respondWith(page(event.request));
  else if (files.includes(path)) event.respondWith(caches.match(path).then((kept) => kept ?? fetch(event.request)));
});

self.addEventListener('sync', (event) => {
  if (event.tag === leaving) event.waitUntil(navigator.locks.request(leaving, endLeft));
});

/** Ends it unless a page has. What fails is tried again by the browser. */
async function endLeft() {
  if (!await caches.has(leaving)) return;
  const left = await fetch('/v1/sessions/current', {method: 'DELETE', headers: {'X-Requested-With': 'kurir'}});
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
