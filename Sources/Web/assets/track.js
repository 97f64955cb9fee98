// The recipient's page, live. The server writes it; when something has changed it is read again, and what differs is put in its
// place. What somebody is writing stays.
const main = document.querySelector('main.track');
const place = document.getElementById('map');
let map;
let newest;
let reading = false;
let again = false;
let heard;

function isInUse(part) {
  return part.contains(document.activeElement)
    || [...part.querySelectorAll('textarea')].some((field) => field.value)
    || part.querySelector('input:checked');
}

async function refresh() {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  try {
    const answer = await fetch(location.pathname, { cache: 'no-store' });
    if (answer.status === 410 || answer.status === 404) return location.reload();
    if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  } catch {
    // The stream comes again, and with it the next try.
  } finally {
    reading = false;
    if (again) {
      again = false;
      refresh();
    }
  }
}

function show(page) {
  for (const part of main.querySelectorAll('[data-part]')) {
    const next = page.querySelector(`[data-part="${part.dataset.part}"]`);
    if (next && next.innerHTML !== part.innerHTML && !isInUse(part)) {
      part.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
    }
  }
}

// A browser does not try again to load a module that it could not load once: so all of them are asked for as files before.
async function loadMap() {
  await Promise.all(['trackmap', 'map', 'leaflet'].map((name) => fetch(new URL(`./${name}.js`, import.meta.url))));
  return import('./trackmap.js');
}

async function draw(told) {
  newest = told;
  if (!told.position) {
    place.hidden = true;
    return;
  }
  const { trackMap } = map ? {} : await loadMap();
  // Meanwhile something newer may have been told, and be it that there is nothing to be seen any more.
  if (told !== newest) return;
  place.hidden = false;
  map ??= trackMap(place);
  map(told.position, told.recipient.location, told.courier?.first_name);
}

function follow() {
  const stream = new EventSource(`/v1/tracking/${main.dataset.token}`);
  stream.addEventListener('tracking', (event) => {
    const told = JSON.parse(event.data);
    // What cannot be loaded now is tried again when the courier has moved.
    draw(told).catch(() => { place.hidden = !map; });
    // Where the courier is stands on the map alone.
    const said = JSON.stringify({ ...told, position: null, eta: told.eta?.at.slice(0, 16) });
    if (said !== heard) refresh();
    heard = said;
  });
  stream.addEventListener('gone', () => {
    stream.close();
    location.reload();
  });
  // Final for the browser, but not for us: the server may only be starting. Reading the page finds out whether the link is over.
  stream.onerror = () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    refresh();
    setTimeout(follow, 5000);
  };
}

follow();
