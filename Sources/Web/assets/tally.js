// How many deliveries wait for somebody's hand while another view is shown than the one that has them.
import {all} from './ask.js';

/**
 * `hand` is `{statuses, needs}`: among deliveries of which statuses, and whether one needs a hand, which may change with time alone.
 * `count` is told how many do, from `watch` until `rest`.
 */
export function tally({statuses, needs}, count) {
  // Until the lists are there nothing is known, and what was counted before stays.
  let known, told = new Map(), loads = 0, clock;

  const draw = () => { if (known) count(Array.from(known.values()).filter(needs).length); };
  const put = (one) => (into) => { if (!(into.get(one.id)?.version > one.version)) into.set(one.id, one); };

  /** What the feed tells while the lists are under way may be missing in them. */
  async function load() {
    const mine = ++loads;
    told = new Map();
    try {
      const items = await all('/v1/deliveries', {status: statuses});
      if (mine !== loads) return;
      known = new Map(items.map((item) => [item.id, item]));
      for (const one of told.values()) put(one)(known);
      draw();
    } catch {
      // It is counted anew once there is a connection.
    }
  }

  return {
    watch() {
      if (clock) return;
      clock = setInterval(draw, 30_000);
      load();
    },
    onFresh() { if (clock) load(); },
    onEvent({delivery}) {
      if (!clock || !delivery) return;
      [told, known].filter(Boolean).forEach(put(delivery));
      draw();
    },
    rest() {
      loads += 1;
      known = undefined;
      clock = clearInterval(clock);
    },
  };
}
