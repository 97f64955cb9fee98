// What there may be on the road, and how far away it is, wherever it is told.
import {t} from './words.js';

/** Kinds as they stand in filters, each with its sign. */
export const kinds = {
  radar_stationary: '◉', radar_announced: '◎', border_crossing: '⇄', roadworks: '⚒', closure: '⊗', congestion: '≡', goods_vehicle_ban: '⊘',
  rockfall: '▲', accident: '✸', black_ice: '❄', danger: '!',
};

export const distance = (meters) => (meters < 995 ? t('meters', {number: Math.round(meters / 10) * 10}) : t('kilometers', {number: meters / 1000}));
