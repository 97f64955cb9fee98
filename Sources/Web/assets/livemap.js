// A map that lives: stops of deliveries, couriers as they move, and the way to one of them.
import {remembered} from './account.js';
import {get, lasting} from './ask.js';
import {backSign, fullName, signs} from './delivery.js';
import {makeMap, fit, line, sign} from './map.js';
import {isGivenBack, isUrgent} from './offering.js';
import {positions} from './positions.js';
import {t, when} from './words.js';

// How near signs are that hide each other, in pixels.
const near = 26;
// Where a sign stands that another would hide: around its place, and farther only where there is no room.
const around = [[0, 0], ...[1, 2, 3].flatMap((round) => [[1, 0], [-1, 0], [0, -1], [0, 1], [1, 1], [-1, 1], [-1, -1], [1, -1]].map(([x, y]) => [30 * round * x, 30 * round * y]))];

/**
 * `moved` is told when a courier has moved (with its id) or none is known any more; `pointed` which sign somebody points at; `isBeside` is whether it
 * stands beside what scrolls.
 */
export async function liveMap(place, kind, {moved, pointed = () => {}, isBeside = false}) {
  const about = await lasting('about', () => get('/v1/about'));
  const map = makeMap(place, about.map, {label: t('mapOf'), closer: t('mapCloser'), farther: t('mapFarther'), all: t('mapAll'), showAll});
  const couriers = new Map();
  const shown = new Map();
  let way, stations = [], fitted = 0, places = [], meant, isTouched = false, moving;
  // Who has moved the map wants to see what it shows.
  const touched = () => { isTouched = true; };
  for (const touch of ['pointerdown', 'keydown']) place.addEventListener(touch, touched, {passive: true});
  // Beside what scrolls a wheel scrolls that, until somebody works in the map.
  let isHeld = false;
  place.addEventListener('pointerdown', () => { isHeld = true; });
  place.addEventListener('pointerleave', () => { isHeld = false; });
  place.addEventListener('wheel', ({ctrlKey}) => {
    const zooms = isHeld || ctrlKey || !isBeside;
    map.scrollWheelZoom[zooms ? 'enable' : 'disable']();
    if (zooms) touched();
  }, {passive: true, capture: true});

  function showAll() {
    isTouched = false;
    fit(map, places);
  }

  /** Where couriers are is not asked for while nobody looks. */
  function follow() {
    moving?.close();
    couriers.clear();
    moved();
    moving = document.hidden ? undefined : positions(kind, (id, courier) => {
      if (courier) couriers.set(id, courier); else couriers.delete(id);
      moved(id);
    });
  }

  /** Sets a sign, or moves it. */
  function mark(key, at, style, text, label, act) {
    const before = shown.get(key);
    if (before?.look === style + text + label) {
      before.at = at;
      return before.marker.setLatLng([at.lat, at.lon]);
    }
    before?.marker.remove();
    const marker = sign(map, at, style, text, label, act);
    shown.set(key, {look: style + text + label, at, marker});
    const element = marker.getElement();
    for (const event of ['pointerenter', 'focus']) element.addEventListener(event, () => pointed(key));
    for (const event of ['pointerleave', 'blur']) element.addEventListener(event, () => pointed());
    return undefined;
  }

  /** What is at one place stands around it. */
  function spread() {
    const taken = [];
    for (const one of shown.values()) {
      const at = map.latLngToLayerPoint(one.marker.getLatLng());
      const isFree = ([x, y]) => !taken.some((other) => Math.abs(other.x - at.x - x) < near && Math.abs(other.y - at.y - y) < near);
      one.aside = around.find(isFree) ?? [0, 0];
      const [x, y] = one.aside;
      taken.push({x: at.x + x, y: at.y + y});
      one.marker.getElement().firstElementChild.style.translate = `${x}px ${y}px`;
    }
  }

  /** The way goes from sign to sign, wherever those stand. */
  function drawWay() {
    way?.remove();
    way = stations.length > 1 ? line(map, stations.map(seen)) : undefined;
  }

  function seen(place) {
    const [x, y] = Array.from(shown.values()).find(({at}) => at === place)?.aside ?? [0, 0];
    const {lat, lng: lon} = map.layerPointToLatLng(map.latLngToLayerPoint([place.lat, place.lon]).add([x, y]));
    return {lat, lon};
  }

  follow();
  document.addEventListener('visibilitychange', follow);
  map.on('zoomend', () => {
    spread();
    drawWay();
  });
  // In another size there is room for another part of it.
  map.on('resize', () => { if (!isTouched) fit(map, places); });

  return {
    couriers,
    /** These stops, and all couriers unless only some are wanted. */
    draw(stops, isWanted = () => true) {
      const kept = new Set();
      for (const {id, at, style, text, label, act} of stops) {
        kept.add(id);
        mark(id, at, style, text, label, act);
      }
      for (const [id, courier] of couriers) {
        if (!isWanted(id)) continue;
        kept.add(id);
        mark(id, courier, courier.isFresh ? 'courier' : 'courier old', courier.sign, t('mapSeen', {name: courier.name, time: when(courier.at)}));
      }
      for (const [key, {marker}] of shown) {
        if (kept.has(key)) continue;
        marker.remove();
        shown.delete(key);
      }
      spread();
      return kept.size > 0;
    },
    /** Draws the way over these places. */
    lead(places) {
      stations = places;
      drawWay();
    },
    /** Shows all of it, or what belongs to one stop, `{id, places}`, until somebody moves the map. */
    fit(stops, one) {
      places = one?.places ?? [...stops.map(({at}) => at), ...couriers.values()];
      const inside = map.getBounds().pad(-0.06);
      // Somebody may have moved it to see something else.
      if (one?.id !== meant) [meant, fitted, isTouched] = [one?.id, 0, false];
      if (!isTouched && (places.length > fitted || places.some((at) => !inside.contains(at)))) fit(map, places);
      fitted = Math.max(fitted, places.length);
    },
    /** Tells which sign somebody is at in the list, and which one is open. */
    point(key, opened) {
      for (const [id, {marker}] of shown) {
        marker.getElement().classList.toggle('pointed', id === key);
        marker.getElement().classList.toggle('opened', id === opened);
      }
    },
    leave() {
      document.removeEventListener('visibilitychange', follow);
      moving?.close();
      map.remove();
    },
  };
}

/** Where a store is, if it has said so: couriers who wait there are seen to be at home. */
export function homeOf({name, location}) {
  return location ? [{id: 'home', at: location, style: 'home', text: '⌂', label: name}] : [];
}

/** What a map shows of a delivery; what needs its store's hand `stands` out. */
export function stopOf(delivery, act, stands = isUrgent(delivery)) {
  const {id, status, recipient} = delivery;
  return {
    id, at: recipient.location, style: stands ? `${status} urgent` : status, text: !stands ? signs[status] : isGivenBack(delivery) ? backSign : '!',
    label: `${t(`status_${status}`)}: ${fullName(recipient)}, ${recipient.address}`, act,
  };
}

/** From where its courier is, over where it is still to be fetched and the stops before it, to a delivery. */
export function wayTo(one, deliveries, couriers) {
  const from = one?.status === 'in_progress' && one.recipient?.location && couriers.get(one.courier?.id);
  if (!from) return [];
  const before = deliveries.filter(({id, courier, stop}) => id !== one.id && courier?.id === one.courier.id && stop && one.stop && stop.number < one.stop.number)
    .sort((one, other) => one.stop.number - other.stop.number);
  const shop = !one.picked_up_at && (one.pickup?.address ? one.pickup.location : remembered()?.location);
  return [from, ...shop ? [shop] : [], ...[...before, one].map(({recipient}) => recipient.location)];
}
