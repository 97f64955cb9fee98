// The choice of light or dark, which is this device's and outlasts who is signed in on it.
import {h, newID} from './dom.js';
import {t} from './words.js';

const place = 'kurir.scheme';

export function appearance() {
  const id = newID();
  const names = ['', 'light', 'dark'];
  const choice = h('select', {id, value: localStorage.getItem(place) ?? '', onchange() {
    if (choice.value) localStorage.setItem(place, choice.value); else localStorage.removeItem(place);
    // scheme.js hears of it as it does in other tabs.
    dispatchEvent(new StorageEvent('storage', {key: place}));
  }}, names.map((name) => h('option', {value: name}, t(`appearance_${name || 'device'}`))));
  return h('div', {class: 'field'}, h('label', {for: id}, t('appearance')), choice);
}
