// Places that a text may mean: what one keeps, to whom a store has delivered, and what a geocoder knows.
import {remembered} from './account.js';
import {get} from './ask.js';
import {complete} from './complete.js';
import {grouped} from './delivery.js';
import {h} from './dom.js';
import {t} from './words.js';

/** Completes a field by places. Names are nobody's business but one's own: a geocoder is asked only for addresses. */
export function completePlace(input, choose, {isAddress}) {
  complete(input, {label: t('knownPlaces'), find: (text) => places(text, isAddress), show, choose});
}

async function places(text, isAddress) {
  const {lat, lon} = remembered()?.location ?? {};
  const {items, geocoder} = await get('/v1/places/search', {q: text.slice(0, 100), near: lat === undefined ? '' : `${lat},${lon}`, own: isAddress ? '' : true});
  const isMapped = items.some(({source}) => source === 'geocoder');
  return {items, note: geocoder ? t('geocoderUnavailable') : isMapped && '© OpenStreetMap'};
}

const show = ({source, name, address, phone}) => [
  h('strong', {}, source === 'geocoder' ? address : name),
  h('span', {class: 'hint'}, [source === 'geocoder' ? !address.startsWith(name) && name : address, phone && grouped(phone), source === 'saved' && t('keptPlace')].filter(Boolean).join(' · ')),
];

const shownOf = ({phone}) => phone && grouped(phone);

/** Has the fields of a delivery's recipient complete each other. Gives where the address is, as far as anybody has said it, and
 * tells `moved` when that changes or the address is left, and whether it was taken from what was found. */
export function completeRecipient(form, recipient, moved) {
  const field = (name) => form.elements[`recipient.${name}`];
  let known = recipient;
  // A number goes with whom it belongs to, unless somebody has typed it.
  let phone = shownOf(recipient);

  /** Whoever is known is taken whole; for whom the name is typed already, an address is taken alone. */
  const take = (isAddress) => (place) => {
    const named = ['first_name', 'last_name'].map((name) => field(name).value.trim()).filter(Boolean).join(' ');
    const isWhole = place.source !== 'geocoder' && !(isAddress && named && named !== place.name);
    if (isWhole) {
      const [first, ...others] = place.name.split(' ');
      field('first_name').value = place.first_name ?? first;
      field('last_name').value = place.last_name ?? others.join(' ');
    }
    field('address').value = place.address;
    if (isWhole && (place.phone || field('phone').value === phone)) {
      phone = shownOf(place);
      field('phone').value = phone ?? '';
    }
    // What was filled in here is not missing any more.
    for (const one of ['first_name', 'last_name', 'address', 'phone'].map(field)) if (one.value) one.dispatchEvent(new Event('change', {bubbles: true}));
    known = place;
    moved(location(), true);
    [...['first_name', 'last_name', 'phone'].map(field), form.elements.description].find(({value}, place, all) => !value || !all[place + 1]).focus();
  };

  for (const name of ['first_name', 'last_name', 'address']) {
    const isAddress = name === 'address';
    completePlace(field(name), take(isAddress), {isAddress});
  }
  function location() {
    return known.address === field('address').value.trim() ? known.location ?? null : null;
  }

  field('address').addEventListener('input', () => moved(location(), false));
  field('address').addEventListener('blur', () => moved(location(), false));
  return {location};
}
