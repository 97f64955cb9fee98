// The map beside the board, or beneath it where the screen is less wide, or in the delivery that is open, which stands where it was: a sign
// points at its row, and a row at its sign.
import {remembered} from './account.js';
import {h, say, wordsOf} from './dom.js';
import {loaded} from './later.js';
import {t} from './words.js';

// As wide as later.css wants it: where the map is seen, and where it stays beside the rows though a panel is open.
const wide = matchMedia('(min-width: 60rem)'), veryWide = matchMedia('(min-width: 110rem)');
const least = 240;
const choice = 'kurir.map';

const isMapWanted = () => localStorage.getItem(choice) !== 'off';

/** `look` opens a delivery, and `redraw` draws what the board shows. */
export function mapBeside(region, {look, redraw}) {
  const map = h('div', {class: 'map', tabindex: '0'});
  const place = h('div', {class: 'map-beside', hidden: true}, map);
  const button = h('button', {type: 'button', class: 'quiet with-map', onclick: turn, hidden: true}, t('map'));
  let isOn = isMapWanted(), maps, live, state = 'none', isLeft = false, marked, aimed, opened;
  button.setAttribute('aria-pressed', String(isOn));

  function turn() {
    isOn = !isOn;
    if (isOn) localStorage.removeItem(choice); else localStorage.setItem(choice, 'off');
    button.setAttribute('aria-pressed', String(isOn));
    redraw();
  }

  /** What draws maps is loaded only now that one is looked at. */
  async function begin() {
    state = 'begun';
    try {
      maps = await loaded('livemap');
      live = await maps.liveMap(map, 'store', {moved: redraw, pointed, isBeside: true});
      state = 'made';
      if (isLeft || !isWanted()) end(); else redraw();
    } catch (error) {
      state = 'failed';
      show(false);
      if (!isLeft) say(wordsOf(error));
    }
  }

  function end() {
    if (state === 'made') {
      live.leave();
      live = undefined;
    }
    if (state !== 'begun') state = 'none';
    show(false);
  }

  function show(isShown) {
    settle();
    place.hidden = !isShown;
    region.querySelector('.columns').classList.toggle('mapping', isShown);
    if (isShown) fill();
  }

  /** In the panel of the delivery that is open, where there is no room for both. */
  const slot = () => (veryWide.matches ? null : document.querySelector('dialog.aside[open] .map-slot'));

  function settle() {
    const home = slot() ?? region.querySelector('.columns');
    if (home && place.parentElement !== home) home.append(place);
  }

  /** It is as high as the window has room below it, or below the rows where it is beneath them. */
  function fill() {
    if (slot()) return map.style.removeProperty('height');
    const above = getComputedStyle(place).position === 'sticky' ? place.parentElement : place;
    const top = above.getBoundingClientRect().top + scrollY;
    map.style.height = `${Math.max(least, innerHeight - top - 32)}px`;
    return undefined;
  }

  const isWanted = () => isOn && (wide.matches || Boolean(slot()));

  function pointed(key) {
    marked = key;
    for (const row of region.querySelectorAll('li[data-key]')) row.classList.toggle('pointed', row.dataset.key === key);
  }

  const point = () => live?.point(aimed, opened);
  function pointAt({type, target}) {
    aimed = /over|in$/.test(type) ? target.closest?.('li[data-key]')?.dataset.key : undefined;
    point();
  }
  for (const event of ['pointerover', 'pointerout', 'focusin', 'focusout']) region.addEventListener(event, pointAt);
  window.addEventListener('resize', redraw);

  return {
    place, button,
    /** Draws these deliveries, of which one may be open, and all couriers or that one. */
    draw(deliveries, open, courier) {
      const placed = deliveries.filter(({recipient}) => recipient?.location);
      // Where the store itself is on it, couriers are seen to come.
      const isEmpty = !placed.length && !(deliveries.length && remembered()?.location);
      button.hidden = state === 'none' && isEmpty;
      if (!isWanted() || (state === 'none' && isEmpty)) return end();
      if (state === 'failed') return undefined;
      show(true);
      if (state === 'none') begin();
      if (state !== 'made') return undefined;
      const one = placed.find(({id}) => id === open);
      const way = maps.wayTo(one, placed, live.couriers);
      // In the panel of one there is room for that one, and for whom and what it waits for.
      const isAlone = slot() && one;
      const shown = isAlone ? placed.filter((other) => other === one || way.includes(other.recipient.location)) : placed;
      const stops = [...maps.homeOf(remembered()), ...shown.map((each) => maps.stopOf(each, () => look(each.id)))];
      const only = (isAlone && one.courier?.id) || courier;
      live.draw(stops, only ? (id) => id === only : undefined);
      live.lead(way);
      live.fit(stops, isAlone && {id: open, places: way.length ? way : [one.recipient.location, remembered().location].filter(Boolean)});
      opened = open;
      point();
      pointed(marked);
      return undefined;
    },
    leave() {
      isLeft = true;
      end();
      window.removeEventListener('resize', redraw);
    },
  };
}
