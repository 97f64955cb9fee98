// What stands about a courier's jobs in hand: what is late somewhere further down, what one place has ready together, and that nobody sees where it is.
import {h} from './dom.js';
import {isLate} from './due.js';
import {isToFetch} from './nearness.js';
import * as outgoing from './outgoing.js';
import {silence} from './sharing.js';
import {streetOf} from './way.js';
import {t} from './words.js';

const placeOf = ({store, pickup}) => `${store.id} ${pickup?.address ?? ''}`;

/** Gives what says both of `jobs` above the list that they stand in, as it is when it is called. */
export function aboveJobs({section, list}, jobs) {
  const late = h('button', {type: 'button', class: 'chip', onclick: () => lateOnes()[0]?.scrollIntoView({block: 'center'})});
  const together = h('button', {type: 'button', class: 'together', onclick: () => outgoing.fetchAll(fetched())});
  section.querySelector('h2').append(late);
  // Below what goes back to its store.
  section.nextElementSibling.after(silence());

  const lateOnes = () => jobs().filter(isLate).map(({id}) => list.querySelector(`:not(:first-child)[data-key='${id}']`)).filter(Boolean);

  const toFetch = () => jobs().map(outgoing.ahead).filter(isToFetch);

  /** Where somebody goes first to fetch several: those. What one fetches alone has its step on its card. */
  const fetched = () => Array.from(Map.groupBy(toFetch(), placeOf).values()).find(({length}) => length > 1) ?? [];

  /** Several that are fetched at one place one after the other say it large once. */
  function join() {
    const places = new Map(toFetch().map((job) => [job.id, placeOf(job)]));
    for (const card of list.children) {
      const place = places.get(card.dataset.key);
      card.classList.toggle('along', Boolean(place) && place === places.get(card.previousElementSibling?.dataset.key));
    }
  }

  // What the step of the first one said by itself.
  let restore = () => {};

  /** The next step of who goes there next; else it stands below them all. */
  function place({id, store}) {
    const bar = id === jobs()[0].id && list.querySelector(`li:first-child[data-key='${id}'] .verbs`);
    together.classList.toggle('main', Boolean(bar));
    together.textContent = t(bar ? 'fetchAllHere' : 'fetchAll', {count: fetched().length, store: store.name});
    if (!bar) return list.after(together);
    if (together.parentNode !== bar) bar.querySelector('.main').before(together);
    // Both say whom they take.
    const {recipient, pickup} = jobs()[0];
    const [whom, only] = [bar.querySelector('.whom'), bar.querySelector('.main:not(.together)')];
    const [before, verb] = [whom.textContent, only.textContent];
    restore = () => { [whom.textContent, only.textContent] = [before, verb]; };
    whom.textContent = [store.name, streetOf(pickup?.address ?? store.address, store.address)].filter(Boolean).join(', ');
    only.textContent = recipient ? t('onlyOne', {name: recipient.first_name.split(' ')[0]}) : t('do_pick_up');
    return undefined;
  }

  return () => {
    join();
    restore();
    restore = () => {};
    late.hidden = !lateOnes().length;
    late.textContent = t('need_late', {count: jobs().filter(isLate).length});
    const [first] = fetched();
    return first ? place(first) : together.remove();
  };
}
