// Where the courier is, on the recipient's page.
import { fit, line, makeMap, sign } from './map.js';

export function trackMap(place) {
  const says = place.dataset;
  const numbers = (text) => text?.split(' ').map(Number);
  const [least, most] = numbers(says.zooms) ?? [];
  const base = says.tiles && {
    tiles: says.tiles, attribution: says.attribution, min_zoom: least, max_zoom: most, bounds: numbers(says.bounds),
  };
  const map = makeMap(place, base, { label: says.label });
  let courier;
  let here;
  let way;

  // Whom a sign stands for is read on the map itself.
  const named = (marker, name) => {
    marker.getElement().firstElementChild.dataset.name = name;
    return marker;
  };

  // Who is at the door stands beside it, so that both are seen.
  function apart() {
    const [one, other] = [courier, here].map((marker) => map.latLngToLayerPoint(marker.getLatLng()));
    const isNear = Math.abs(one.x - other.x) < 28 && Math.abs(one.y - other.y) < 28;
    courier.getElement().firstElementChild.style.translate = isNear ? '-32px' : '';
    // Two names beside each other would be read as one.
    place.classList.toggle('tight', Math.abs(one.x - other.x) < 64 && Math.abs(one.y - other.y) < 28);
  }

  return (position, home, name) => {
    if (courier) {
      courier.setLatLng([position.lat, position.lon]);
      way?.setLatLngs([courier.getLatLng(), here.getLatLng()]);
    } else {
      if (home) {
        way = line(map, [position, home]);
        here = named(sign(map, home, 'here', '', says.here), says.here);
      }
      courier = named(sign(map, position, 'courier', name ? Array.from(name)[0] : '➜', says.courier), name ?? says.courier);
      // Names stand below their signs.
      fit(map, here ? [position, home] : [position], { before: [40, 24], after: [40, 48] });
      if (here) map.on('zoomend', apart);
    }
    if (here) apart();
  };
}
