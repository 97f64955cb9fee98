// Keeps the courier's page at hand, so that it opens without a connection. What the API says is not kept here.
const version = '{version}';
const files = [{files}];
// Milliseconds that a connection may take before the page that is at hand is shown.
const patience = 3000;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(['/courier', ...files])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== version).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const path = new URL(event.request.url).pathname;
  if (event.request.mode === 'navigate' && path === '/courier') event.respondWith(page(event.request));
  else if (files.includes(path)) event.respondWith(caches.match(path).then((kept) => kept ?? fetch(event.request)));
});

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
