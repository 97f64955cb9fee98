// How far places are from each other, and how that is said.
import {t} from './words.js';

/** Meters between two places of a town. */
export function meters(one, other) {
  const [north, east] = [other.lat - one.lat, (other.lon - one.lon) * Math.cos(one.lat * Math.PI / 180)];
  return 6_371_000 * Math.PI / 180 * Math.hypot(north, east);
}

export const distance = (metres) => (metres < 995 ? t('meters', {number: Math.round(metres / 10) * 10}) : t('kilometers', {number: metres / 1000}));
