// The map beside a courier's jobs where the screen is wide: what it draws is what the view of its own has.
import {h} from './dom.js';
import {mapOf} from './mapview.js';

// As wide as later.css wants it.
const wide = matchMedia('(min-width: 84rem)');

/** Puts it into `lanes`, as long as there is room, and gives a view that is told what happens. */
export function mapBesideJobs(lanes) {
  const place = h('div', {class: 'map-of-jobs'});
  let view;

  function settle() {
    view?.leave();
    place.replaceChildren();
    view = wide.matches ? mapOf('courier', undefined, true)(place) : undefined;
    if (view) lanes.append(place); else place.remove();
  }

  wide.addEventListener('change', settle);
  settle();
  return {
    leave() {
      wide.removeEventListener('change', settle);
      view?.leave();
    },
    onFresh: () => view?.onFresh(),
    onEvent: (event) => view?.onEvent(event),
  };
}
