// Where a recipient is, set on a map: the place in its middle is taken, so that arrows, a mouse and a thumb do it alike. The map is
// loaded when somebody wants it.
import {remembered} from './account.js';
import {get} from './ask.js';
import {aimed, h, say, wordsOf} from './dom.js';
import {icon} from './icons.js';
import {loaded} from './later.js';
import {t} from './words.js';

/** A field for a place, which may be known already; `changed` is told when it is set or taken away by hand. */
export function placeField(known, changed = () => {}) {
  let at = known ?? null;
  let map;
  const place = h('div', {class: 'map picker', tabindex: '0'});
  const shown = h('div', {class: 'picking', hidden: true}, h('p', {class: 'hint'}, t('mapPickHint')),
    aimed(place),
    h('p', {class: 'actions'}, h('button', {type: 'button', onclick: take}, t('mapTake')), h('button', {type: 'button', class: 'plain', onclick: forget}, t('mapForget'))));
  const opener = h('button', {type: 'button', title: t('mapPick'), 'aria-expanded': 'false', onclick: turn}, icon('place'), h('span', {}, t('mapPick')));
  const state = h('span', {class: 'hint', role: 'status'});
  const element = h('div', {class: 'field picked'}, h('p', {class: 'actions'}, opener, state), shown);

  function draw() {
    state.textContent = at ? `✓ ${t('mapPicked')}` : '';
  }

  function unfold(isOpen) {
    shown.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
  }

  async function turn() {
    unfold(shown.hidden);
    if (shown.hidden || map) return;
    try {
      const [{makeMap}, about] = await Promise.all([loaded('map'), get('/v1/about')]);
      map = makeMap(place, about.map, {label: t('mapPick'), closer: t('mapCloser'), farther: t('mapFarther')});
      const start = at ?? remembered().location;
      if (start) map.setView([start.lat, start.lon], 16);
    } catch (error) {
      unfold(false);
      say(wordsOf(error));
    }
  }

  function set(place) {
    at = place;
    draw();
    changed(place);
  }

  function take() {
    const {lat, lng} = map.getCenter();
    set({lat: Number(lat.toFixed(6)), lon: Number(lng.toFixed(6))});
    turn();
    opener.focus();
  }

  function forget() {
    set(null);
    turn();
    opener.focus();
  }

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
