// How weather is written, wherever it is told.
import {drawn} from './icons.js';
import {number} from './words.js';

/** Ice, wherever it is told of. */
export const flake = 'M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9';
const cloud = 'M7 15a3.5 3.5 0 0 1 0-7 5 5 0 0 1 9.6-1A4 4 0 0 1 17 15z';
const signs = {
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5V4M12 20v1.5M2.5 12H4M20 12h1.5M5.3 5.3l1 1M17.7 17.7l1 1M5.3 18.7l1-1M17.7 6.3l1-1',
  moon: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
  some: 'M9 20a3.2 3.2 0 0 1 0-6.4 4.5 4.5 0 0 1 8.7-1A3.7 3.7 0 0 1 18 20zM5.5 13.5a4 4 0 1 1 6.8-4.2M8.5 3v1.3M2 9.5h1.3M4 5l1 1M13.2 5l-1 1',
  veiled: 'M9 20a3.2 3.2 0 0 1 0-6.4 4.5 4.5 0 0 1 8.7-1A3.7 3.7 0 0 1 18 20zM5.5 12.5a5 5 0 0 1 3-8.5 4 4 0 0 0 4.5 4',
  cloud: 'M7 18a3.5 3.5 0 0 1 0-7 5 5 0 0 1 9.6-1A4 4 0 0 1 17 18z',
  fog: 'M4 8h13M7 12h13M4 16h13',
  rain: `${cloud}M8 18l-1 3M12.5 18l-1 3M17 18l-1 3`,
  snow: `${cloud}M8 19h.01M12 21h.01M16 19h.01`,
  ice: flake,
  storm: `${cloud}M12.5 14.5l-2.5 3.5h4l-2.5 3.5`,
};

// Between these hours of the place's clock there is a moon, if anything.
const [evening, morning] = ['20', '06'];
const atNight = {sun: 'moon', some: 'veiled'};

/** What the sky is like, by the code of the World Meteorological Organization, in an hour if one is meant. */
export function skyOf(code, hour) {
  if (code === null || code === undefined) return '·';
  const isNight = hour && (clockOf(hour) >= evening || clockOf(hour) < morning);
  const said = code >= 95 ? 'storm' : (code >= 71 && code <= 77) || code === 85 || code === 86 ? 'snow' : code >= 51 ? 'rain'
    : code >= 45 ? 'fog' : code === 0 ? 'sun' : code < 3 ? 'some' : 'cloud';
  const name = (isNight && atNight[said]) || said;
  return skySign(name);
}

export const skySign = (name) => drawn(name, signs[name]);

export const degrees = (value) => (value === null ? '–' : `${number(Math.round(value) || 0).replace('-', '−')}°`);

/** The hour on the clocks of the place. */
export const clockOf = ({local}) => local.slice(11, 16);
