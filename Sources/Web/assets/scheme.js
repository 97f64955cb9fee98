// Light or dark: as the device has it, or as an account has chosen on this device.
import {remembered} from './account.js';

export const schemes = ['system', 'light', 'dark'];

const place = () => `kurir.scheme.${remembered()?.id}`;
const screens = {system: 'screen and (prefers-color-scheme: dark)', light: 'not all', dark: 'screen'};

export const scheme = () => localStorage.getItem(place()) ?? 'system';

/** Shows the page as whoever is signed in wants it. */
export function dress() {
  const chosen = scheme();
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen;
  document.querySelector('link[href$="/dark.css"]').media = screens[chosen];
}

export function setScheme(chosen) {
  localStorage.setItem(place(), chosen);
  dress();
}
