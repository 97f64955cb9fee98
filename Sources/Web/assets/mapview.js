// A map of what is under way, beside the lists: for a store its open deliveries and couriers, for a courier its stops in order and
// itself. The lists have all of it, too; here it is seen at a glance.
import {all, get} from './ask.js';
import {details} from './details.js';
import {fullName, isSeen} from './delivery.js';
import {h, say, wordsOf} from './dom.js';
import {positions} from './positions.js';
import {t, when} from './words.js';

export function mapOf(kind) {
  return (region) => {
    const deliveries = new Map();
    const couriers = new Map();
    const signs = new Map();
    const place = h('div', {class: 'map', tabindex: '0'});
    const list = h('ol', {class: 'stops', 'aria-label': t('mapOf')});
    const nothing = h('p', {class: 'hint', hidden: true}, t('mapNothing'));
    let maps, map, way, open, isFitted = false, isLeft = false, moving;

    const placed = () => [...deliveries.values()].filter(({recipient}) => recipient?.location)
      .sort((one, other) => (one.stop?.number ?? 99) - (other.stop?.number ?? 99) || (one.id < other.id ? -1 : 1));

    function look(delivery) {
      if (kind === 'courier') {
        location.hash = `#delivery=${delivery.id}`;
        return;
      }
      open?.close();
      open = details(delivery, {changed: put, closed() { open = undefined; }});
    }

    /** Sets a sign, or moves it. */
    function mark(key, at, style, text, label, act) {
      const before = signs.get(key);
      if (before?.look === style + text + label) return before.marker.setLatLng([at.lat, at.lon]);
      before?.marker.remove();
      signs.set(key, {look: style + text + label, marker: maps.sign(map, at, style, text, label, act)});
      return undefined;
    }

    function draw() {
      if (!map) return;
      const shown = placed();
      const kept = new Set();
      for (const [number, delivery] of shown.entries()) {
        const text = kind === 'courier' ? String(delivery.stop?.number ?? number + 1) : delivery.status === 'pending' ? '◔' : '➜';
        const label = kind === 'courier' ? t('mapStop', {number: text, name: fullName(delivery.recipient)})
          : `${t(`status_${delivery.status}`)}: ${fullName(delivery.recipient)}, ${delivery.recipient.address}`;
        kept.add(delivery.id);
        mark(delivery.id, delivery.recipient.location, delivery.status, text, label, () => look(deliveries.get(delivery.id)));
      }
      for (const [id, courier] of couriers) {
        kept.add(id);
        mark(id, courier, courier.isFresh ? 'courier' : 'courier old', courier.sign, t('mapSeen', {name: courier.name, time: when(courier.at)}));
      }
      for (const [key, {marker}] of signs) {
        if (kept.has(key)) continue;
        marker.remove();
        signs.delete(key);
      }
      way?.remove();
      const me = couriers.get('me');
      const stops = shown.filter(({status}) => status === 'in_progress').map(({recipient}) => recipient.location);
      if (kind === 'courier' && stops.length) way = maps.line(map, [...me ? [me] : [], ...stops]);
      const places = [...shown.map(({recipient}) => recipient.location), ...couriers.values()];
      nothing.hidden = places.length > 0;
      if (!isFitted && places.length) maps.fit(map, places);
      isFitted ||= places.length > 0;
      list.replaceChildren(...shown.map((delivery) => h('li', {}, h('button', {type: 'button', class: `card ${delivery.status}`, onclick: () => look(delivery)},
        h('strong', {}, fullName(delivery.recipient)), h('span', {class: 'street'}, delivery.recipient.address)))));
    }

    function put(delivery) {
      const isOpen = isSeen(delivery) && (delivery.status === 'in_progress' || (kind === 'store' && delivery.status === 'pending'));
      if (isOpen) deliveries.set(delivery.id, delivery); else deliveries.delete(delivery.id);
      if (open?.id === delivery.id) open.show(delivery);
      draw();
    }

    async function load() {
      const statuses = kind === 'store' ? ['pending', 'in_progress'] : ['in_progress'];
      const lists = await Promise.all(statuses.map((status) => all('/v1/deliveries', {status})));
      deliveries.clear();
      for (const delivery of lists.flat()) deliveries.set(delivery.id, delivery);
      return lists;
    }

    async function begin() {
      const [about] = await Promise.all([get('/v1/about'), load()]);
      maps = await import('./map.js');
      if (isLeft) return;
      map = maps.makeMap(place, about.map, {label: t('mapOf'), closer: t('mapCloser'), farther: t('mapFarther')});
      moving = positions(kind, (id, courier) => {
        if (courier) couriers.set(id, courier); else couriers.delete(id);
        draw();
      });
      draw();
    }

    region.append(h('div', {class: 'mapped'}, place, h('div', {}, nothing, list)));
    begin().catch((error) => say(wordsOf(error)));
    return {
      leave() {
        isLeft = true;
        moving?.close();
        map?.remove();
      },
      onFresh: () => load().then(draw),
      hears: ['delivery', 'partner'],
      onEvent({delivery}) { if (delivery) put(delivery); },
    };
  };
}
