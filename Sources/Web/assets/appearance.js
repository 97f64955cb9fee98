// The choice of light or dark, which an account has on each device for itself.
import {chooser} from './chooser.js';
import {t} from './words.js';

const place = 'kurir.scheme';

export function appearance(account) {
  const kept = () => JSON.parse(localStorage.getItem(place)) ?? {};
  return chooser(t('appearance'), kept()[account.id] ?? '', ['', 'light', 'dark'].map((value) => [value, t(`appearance_${value || 'device'}`)]), (value) => {
    localStorage.setItem(place, JSON.stringify({...kept(), [account.id]: value || undefined}));
    dispatchEvent(new Event('dress'));
  });
}
