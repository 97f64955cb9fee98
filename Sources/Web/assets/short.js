// Long lists, of which the first rows are seen, and the others when somebody wants them.
import {h} from './dom.js';
import {t} from './words.js';

/** A list with what shows all of it; later.css says how many are few. */
export function short(list) {
  list.classList.add('short');
  list.tabIndex = -1;
  return [list, h('p', {class: 'actions all-of'}, h('button', {type: 'button', class: 'quiet', onclick() {
    list.classList.remove('short');
    list.focus();
  }}, t('more')))];
}
