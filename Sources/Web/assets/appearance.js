// The choice of light or dark, which an account has on each device for itself.
import {h, newID} from './dom.js';
import {t} from './words.js';

const place = 'kurir.scheme';

export function appearance(account) {
  const kept = () => JSON.parse(localStorage.getItem(place)) ?? {};
  const choice = h('select', {id: newID(), onchange() {
    localStorage.setItem(place, JSON.stringify({...kept(), [account.id]: choice.value || undefined}));
    dispatchEvent(new Event('dress'));
  }}, ['', 'light', 'dark'].map((value) => h('option', {value}, t(`appearance_${value || 'device'}`))));
  choice.value = kept()[account.id] ?? '';
  return h('div', {class: 'field'}, h('label', {for: choice.id}, t('appearance')), choice);
}
