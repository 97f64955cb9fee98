// What there may be on the road.
/** Kinds as they stand in filters, each with its sign. */
export const kinds = {
  radar_stationary: '◉', radar_announced: '◎', border_crossing: '⇄', roadworks: '⚒', closure: '⊗', congestion: '≡', goods_vehicle_ban: '⊘',
  rockfall: '▲', accident: '✸', black_ice: '❄', danger: '!',
};
