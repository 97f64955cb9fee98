// How weather is written, wherever it is told.
import {number} from './words.js';

/** What the sky is like, by the code of the World Meteorological Organization. */
export function skyOf(code) {
  if (code === null || code === undefined) return '·';
  if (code >= 95) return '⛈';
  if (code >= 71 && code <= 77 || code === 85 || code === 86) return '❄';
  if (code >= 51) return '☂';
  if (code >= 45) return '≋';
  return code === 0 ? '☀' : code < 3 ? '⛅' : '☁';
}

export const degrees = (value) => (value === null ? '–' : `${number(Math.round(value)).replace('-', '−')}°`);

/** The hour on the clocks of the place. */
export const clockOf = ({local}) => local.slice(11, 16);
