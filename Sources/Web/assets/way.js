// Addresses, as the phone's own map shows them, or one in the browser.
import {h} from './element.js';
import {icon} from './icons.js';
import {t} from './words.js';

const isApple = /iPhone|iPad/.test(navigator.userAgent), isAndroid = /Android/.test(navigator.userAgent);
const leads = (href) => ({href, target: '_blank', rel: 'noreferrer'});

/** An address without its town, where another is in the same. */
export function streetOf(address = '', other) {
  const town = `, ${other?.split(', ').at(-1)}`;
  return address.endsWith(town) ? address.slice(0, -town.length) : address;
}

/** An address, which leads to where it is on the map; of a recipient who is forgotten, nothing. `other` is one whose town is known. */
export function mapLink(recipient, other) {
  if (!recipient) return '';
  const {address, location: place} = recipient;
  const at = place ? `${place.lat},${place.lon}` : '';
  const query = encodeURIComponent(address);
  const href = isApple ? `https://maps.apple.com/?q=${query}${at && `&ll=${at}`}`
    : isAndroid ? `geo:${at || '0,0'}?q=${query}`
      : `https://www.openstreetmap.org/${place ? `?mlat=${place.lat}&mlon=${place.lon}` : `search?query=${query}`}`;
  return h('a', leads(href), streetOf(address, other));
}

/** Leads there from where one is. */
export function wayLink({address, location: place}, name) {
  const to = encodeURIComponent(place ? `${place.lat},${place.lon}` : address);
  const href = isApple ? `https://maps.apple.com/?daddr=${to}` : isAndroid ? `google.navigation:q=${to}` : `https://www.openstreetmap.org/directions?to=${to}`;
  return h('a', {...leads(href), class: 'button', 'aria-label': t('wayTo', {name})}, icon('way'), h('span', {}, t('way')));
}
