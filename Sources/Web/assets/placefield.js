// A place that is set on a map: the one in its middle is taken, so that arrows, a mouse and a thumb do it alike. The map is loaded when
// somebody wants it.
import {remember, remembered} from './account.js';
import {ask, get} from './ask.js';
import {aimed, h, openDialog, say, wordsOf} from './dom.js';
import {icon} from './icons.js';
import {loaded} from './later.js';
import {locate} from './positions.js';
import {t} from './words.js';

/**
 * A map to aim at, and a button that has `take` get the place in its middle, once somebody has aimed; `others` stand beside it. The map is there once it
 * `begin`s, at a place that `isKnown` to be right or is only near.
 */
function aiming(take, style, ...others) {
  let map;
  const place = h('div', {class: 'map picker', tabindex: '0'});
  const taken = () => {
    const {lat, lng} = map.getCenter();
    take({lat: Number(lat.toFixed(6)), lon: Number(lng.toFixed(6))});
  };
  const button = h('button', {type: 'button', class: style, disabled: true, onclick: taken}, t('mapTake'));
  const element = h('div', {class: 'picking'}, h('p', {class: 'hint'}, t('mapPickHint')), aimed(place), h('p', {class: 'actions'}, button, others));

  const hasAimed = () => { button.disabled = false; };

  function show({lat, lon}) {
    map.setView([lat, lon], 16, {animate: false});
    hasAimed();
  }

  async function begin(start, isKnown) {
    if (map) return;
    const [{makeMap}, about] = await Promise.all([loaded('map'), get('/v1/about')]);
    map = makeMap(place, about.map, {label: t('mapPick'), closer: t('mapCloser'), farther: t('mapFarther')});
    if (start) show(start);
    button.disabled = !isKnown;
    map.on('dragstart zoomstart', hasAimed);
    place.addEventListener('keydown', ({key}) => { if (key.startsWith('Arrow')) hasAimed(); });
  }

  return {element, begin, show};
}

/** A field for a place, which may be known already; `changed` is told when it is set or taken away by hand. */
export function placeField(known, changed = () => {}) {
  let at = known ?? null;
  const shown = aiming(set, '', h('button', {type: 'button', class: 'plain', onclick: () => set(null)}, t('mapForget')));
  const opener = h('button', {type: 'button', title: t('mapPick'), onclick: turn}, icon('place'), h('span', {}, t('mapPick')));
  const state = h('span', {class: 'hint', role: 'status'});
  const element = h('div', {class: 'field picked'}, h('p', {class: 'actions'}, opener, state), shown.element);

  function draw() {
    state.textContent = at ? `✓ ${t('mapPicked')}` : '';
  }

  function unfold(isOpen) {
    shown.element.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
  }

  async function turn() {
    unfold(shown.element.hidden);
    if (shown.element.hidden) return;
    try {
      await shown.begin(at ?? remembered().location, Boolean(at));
    } catch (error) {
      unfold(false);
      say(wordsOf(error));
    }
  }

  function set(place) {
    at = place;
    draw();
    changed(place);
    unfold(false);
    opener.focus();
  }

  unfold(false);
  draw();
  return {
    element,
    location: () => at,
    /** What something else found out. */
    know(place) {
      at = place ?? null;
      draw();
    },
  };
}

/** Has a store say where it is, beginning where its address is known to be; `done` is called once it has. */
export async function askWhere(done) {
  const {address} = remembered();
  const here = navigator.geolocation && h('button', {type: 'button', onclick: () => locate(shown.show, () => say(t('locate_unknown')))}, t('mapHere'));
  const shown = aiming(take, 'main', here);
  const dialog = openDialog(t('guide_place'), h('p', {}, h('strong', {}, address)), shown.element);
  dialog.classList.add('wide');

  async function take(location) {
    try {
      remember(await ask('PATCH', '/v1/me', {location}));
      dialog.close();
      done();
    } catch (error) {
      say(wordsOf(error));
    }
  }

  try {
    const {items} = await get('/v1/places/search', {q: address.slice(0, 100)}).catch(() => ({items: []}));
    const found = items.find(({source}) => source === 'geocoder');
    await shown.begin(found?.location, Boolean(found));
  } catch (error) {
    dialog.close();
    say(wordsOf(error));
  }
}
