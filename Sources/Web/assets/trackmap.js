// Where the courier is, on the recipient's page.
import { fit, makeMap, sign } from './map.js';

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
  return (position, home) => {
    if (courier) return courier.setLatLng([position.lat, position.lon]);
    courier = sign(map, position, 'courier', '➜', says.courier);
    if (home) here = sign(map, home, 'here', '⌂', says.here);
    fit(map, here ? [position, home] : [position]);
    return courier;
  };
}
