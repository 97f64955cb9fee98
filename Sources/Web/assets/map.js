// Maps, drawn with Leaflet on the tiles that the server names, or on a plain grid with a scale. Nothing here makes markup from
// text: what Leaflet itself would make so stands here once more, of elements.
import * as L from './leaflet.js';

const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = new URL('leaflet.css', import.meta.url);
// Sizes are taken by it.
await new Promise((done) => {
  style.onload = done;
  style.onerror = done;
  document.head.append(style);
});

function made(tag, name, text = '') {
  const element = document.createElement(tag);
  element.className = name;
  element.append(text);
  return element;
}

const Grid = L.GridLayer.extend({ createTile: () => made('div', 'grid-tile') });
// A tile that is not wanted any more is let go of, and not given an empty picture, which the pages' policy would refuse.
const Tiles = L.TileLayer.extend({
  _removeTile(key) { L.GridLayer.prototype._removeTile.call(this, key); },
  _abortLoading() {
    for (const [key, { coords, el }] of Object.entries(this._tiles)) {
      if (coords.z === this._tileZoom || el.complete) continue;
      el.onload = null;
      el.onerror = null;
      el.remove();
      delete this._tiles[key];
    }
  },
});
const Scale = L.Control.Scale.extend({
  _updateScale(line, text, ratio) {
    line.style.width = `${Math.round(this.options.maxWidth * ratio)}px`;
    line.textContent = text;
  },
});
const Note = L.Control.extend({ onAdd() { return made('p', 'map-note', this.options.text); } });
const Zoom = L.Control.extend({
  onAdd(map) {
    const bar = made('div', 'leaflet-bar map-zoom');
    const { closer, farther, all, showAll } = this.options;
    const step = (by) => () => map.setZoom(map.getZoom() + by);
    for (const [sign, label, act] of [['+', closer, step(1)], ['−', farther, step(-1)], ...showAll ? [['', all, showAll]] : []]) {
      const button = made('button', sign ? '' : 'all', sign);
      button.type = 'button';
      button.title = label;
      button.setAttribute('aria-label', label);
      button.addEventListener('click', act);
      bar.append(button);
    }
    L.DomEvent.disableClickPropagation(bar);
    return bar;
  },
});

// A map in that element. `base` is what the server says of tiles, or nothing.
export function makeMap(place, base, says) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = L.map(place, {
    zoomSnap: .5, zoomControl: false, attributionControl: false, zoomAnimation: !still, fadeAnimation: !still, markerZoomAnimation: !still,
    minZoom: base?.min_zoom ?? 0, maxZoom: base?.max_zoom ?? 19,
  }).setView([45.81, 15.98], 12);
  place.setAttribute('role', 'region');
  place.setAttribute('aria-label', says.label);
  const [west, south, east, north] = base?.bounds ?? [];
  const bounds = base?.bounds && [[south, west], [north, east]];
  if (base) new Tiles(base.tiles, { maxZoom: base.max_zoom, bounds }).addTo(map);
  else new Grid({ tileSize: 64 }).addTo(map);
  if (base?.attribution) new Note({ position: 'bottomright', text: base.attribution }).addTo(map);
  new Scale({ imperial: false }).addTo(map);
  if (says.closer) new Zoom({ position: 'topright', ...says }).addTo(map);
  // What it is shown in may still be growing.
  const observer = new ResizeObserver(() => map.invalidateSize());
  observer.observe(place);
  map.on('unload', () => {
    observer.disconnect();
    // Otherwise Leaflet would end a zoom that is under way on a map that is gone.
    map._animatingZoom = false;
  });
  return map;
}

// A sign at a place, which keyboards and readers reach by its label.
export function sign(map, at, kind, text, label, act) {
  const dot = made('span', `dot ${kind}`, text);
  const icon = L.divIcon({ html: dot, className: 'map-sign', iconSize: [32, 32] });
  const marker = L.marker([at.lat, at.lon], { icon, zIndexOffset: { own: 1500, courier: 1000, urgent: 500 }[kind.split(' ').at(-1)] ?? 0, title: label, keyboard: Boolean(act), interactive: Boolean(act) }).addTo(map);
  const element = marker.getElement();
  element.setAttribute('aria-label', label);
  element.setAttribute('role', act ? 'button' : 'img');
  if (act) {
    marker.on('click', act);
    element.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        act();
      }
    });
  }
  return marker;
}

export function line(map, places) {
  return L.polyline(places.map((at) => [at.lat, at.lon]), { className: 'map-way', interactive: false }).addTo(map);
}

// An area, which is touched as a whole.
export function area(map, [south, west, north, east], kind, act) {
  return L.rectangle([[south, west], [north, east]], { className: `map-area ${kind}`, bubblingMouseEvents: false }).on('click', act).addTo(map);
}

// What happens when nothing of the map is touched but the map.
export function touched(map, act) {
  map.on('click', act);
}

// Shows all of these, at once: Leaflet would leave out what is asked for while it moves. Areas take up the whole of it; signs stand over.
export function fit(map, places, { before = [32, 48], after = [88, 52] } = {}) {
  if (!places.length) return;
  // What it is shown in may have been hidden until now.
  map.invalidateSize({ pan: false });
  map.fitBounds(places.map((at) => [at.lat, at.lon]), { paddingTopLeft: before, paddingBottomRight: after, maxZoom: 15, animate: false });
}
