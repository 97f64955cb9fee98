// What has become so far of the deliveries that were created today, in one line below those that are open.
import {get, inTurn} from './ask.js';
import {signs} from './delivery.js';
import {h} from './dom.js';
import {gathered} from './feed.js';
import {localDay, number, t} from './words.js';

const turn = inTurn();

/** Asks for figures one after the other, whichever view wants them: of three such questions of an account the server ends the oldest. */
export const figuresOf = (path, query) => turn(() => get(path, query));

/** How many of those with a time were there by then. */
export const share = ({due, on_time: kept}) => (due ? `${Math.floor((100 * kept) / due)} %` : '–');

/** Fills the line. What it gives back is told how many the board knows to be over: the figures are asked for when those are others, or it is another day. */
export function footOf(line) {
  let shown;
  const load = gathered(async () => {
    // As the days are where the shop is.
    const day = localDay(Date.now());
    try {
      const {totals} = await figuresOf('/v1/stats', {from: day, to: day, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone});
      const parts = ['delivered', 'cancelled'].map((status) => [h('span', {title: t(`status_${status}`)}, h('span', {'aria-hidden': 'true'}, signs[status]), h('span', {class: 'unseen'}, t(`status_${status}`)), ` ${number(totals[status])}`)]);
      if (totals.due) parts.push([t('onTime'), ' ', t('onTimeOf', {count: totals.on_time, due: totals.due})]);
      line.replaceChildren(h('span', {}, `${t('createdToday')}: `, parts.flatMap((part, at) => (at ? [' · ', ...part] : part))));
      line.hidden = !totals.created;
    } catch {
      shown = undefined;
    }
  }, 1000);
  return (over) => {
    const wanted = `${new Date().toDateString()} ${over}`;
    if (wanted === shown) return;
    shown = wanted;
    load();
  };
}
