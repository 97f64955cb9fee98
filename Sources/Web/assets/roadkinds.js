// What there may be on the road, each kind with its sign, drawn: characters look different on each phone.
import {drawn} from './icons.js';
import {flake} from './sky.js';

const lines = {
  radar_stationary: 'M3 8h4l2-3h6l2 3h4v11H3zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  radar_announced: 'M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6.5 17.5a8 8 0 0 1 0-11M17.5 6.5a8 8 0 0 1 0 11',
  border_crossing: 'M4 8h16l-4-4M20 16H4l4 4',
  roadworks: 'M12 3 6.5 20h11zM9 13h6M4 20h16',
  closure: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM7 12h10',
  congestion: 'M5 6h14M5 12h14M5 18h14',
  goods_vehicle_ban: 'M3 7h10v9H3zM13 10h4l4 3v3h-8M7 19a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM17 19a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  rockfall: 'm3 19 8-14 5 8 2-2 4 8z',
  accident: 'm12 3 2 5 5-2-2 5 4 3-5 1v5l-4-3-4 3v-5l-5-1 4-3-2-5 5 2z',
  black_ice: flake,
  danger: 'M12 5v9M12 18.5h.01',
};

/** The kinds as they stand in filters. */
export const kinds = Object.keys(lines);

export const kindSign = (kind) => drawn(kind, lines[kind]);
