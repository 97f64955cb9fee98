// The way to a door, which the phone shows.
import {h} from './element.js';
import {t} from './words.js';

/** Leads there from where one is, by the phone's own map or in the browser. */
export function wayLink({address, location: place}, name) {
  const to = encodeURIComponent(place ? `${place.lat},${place.lon}` : address);
  const href = /iPhone|iPad/.test(navigator.userAgent) ? `https://maps.apple.com/?daddr=${to}`
    : /Android/.test(navigator.userAgent) ? `google.navigation:q=${to}` : place ? `https://www.openstreetmap.org/directions?to=${to}` : '';
  return href && h('a', {href, class: 'button', target: '_blank', rel: 'noreferrer', 'aria-label': t('wayTo', {name})}, `↗ ${t('way')}`);
}
