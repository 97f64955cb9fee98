// Places that a text may mean: what one keeps, to whom a store has delivered, and what a geocoder knows.
import {remembered} from './account.js';
import {get, lasting} from './ask.js';
import {complete} from './complete.js';
import {grouped} from './delivery.js';
import {h} from './dom.js';
import {isSame} from './meant.js';
import {t} from './words.js';

/** Completes a field by places. Names are nobody's business but one's own: a geocoder is asked only for addresses. */
export function completePlace(input, choose, {isAddress, heard = () => {}, whole = (text) => text}) {
  const find = async (text) => {
    let found = await places(whole(text), isAddress);
    if (!found.items.length && whole(text) !== text) found = await places(text, isAddress);
    heard(text, found.items);
    return found;
  };
  complete(input, {label: t('knownPlaces'), find, show, choose});
  return find;
}

/** The one place that this address can mean: whoever types all of it need not choose it. */
function placeOf(typed, items) {
  const isIt = ({address, location}) => location && [address, address.split(',')[0]].some((text) => isSame(text, typed));
  const [first, ...others] = items.filter(isIt).map(({location}) => location);
  return first && others.every(({lat, lon}) => lat === first.lat && lon === first.lon) ? first : null;
}

let told;
/** Who knows addresses here: a town that is made up is nobody's map. */
const about = () => (told ??= lasting('about', () => get('/v1/about')).catch(() => ({})));

async function places(text, isAddress) {
  const {lat, lon} = remembered()?.location ?? {};
  const {items, geocoder} = await get('/v1/places/search', {q: text.slice(0, 100), near: lat === undefined ? '' : `${lat},${lon}`, own: isAddress ? '' : true});
  const isMapped = items.some(({source}) => source === 'geocoder') && (await about()).geocoder !== 'demo';
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
  // What was found for an address, and how that is looked for.
  let [asked, found, look] = ['', []];

  const named = () => ['first_name', 'last_name'].map((name) => field(name).value.trim()).filter(Boolean).join(' ');

  /** Whoever is known is taken whole; for whom the name is typed already, an address is taken alone. */
  const take = (isAddress) => (place) => {
    const isWhole = place.source !== 'geocoder' && !(isAddress && named() && named() !== place.name);
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
    const find = completePlace(field(name), take(isAddress), {isAddress, ...isAddress && {heard}, ...name === 'last_name' && {whole: named}});
    if (isAddress) look = () => find(addressNow()).catch(() => {});
  }

  const addressNow = () => field('address').value.trim();

  function heard(text, items) {
    [asked, found] = [text, items];
    moved(location(), false);
  }

  function location() {
    return known.address === addressNow() ? known.location ?? null : placeOf(addressNow(), found);
  }

  field('address').addEventListener('input', () => moved(location(), false));
  field('address').addEventListener('blur', () => {
    moved(location(), false);
    // Who goes on at once is not waited for while typing.
    if (addressNow().length > 4 && addressNow() !== asked && known.address !== addressNow()) look();
  });
  return {location};
}
