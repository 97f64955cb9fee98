// A field that is completed while somebody types: a combobox by the pattern of ARIA, whole by keyboard and by ear.
import {h, newID} from './dom.js';
import {t} from './words.js';

// Nobody is asked for each letter of who types quickly.
const pause = 250;

/**
 * Has a field offer what `find(text)` gives: `{items, note}`. `show(item)` is what is seen of one, and `choose(item)` is called with the one
 * that is taken. What has fewer letters than `least` is not looked for.
 */
export function complete(input, {label, least = 2, find, show, choose}) {
  const id = newID();
  // Tab leads on to the next field, and not into what can be scrolled.
  const list = h('ul', {id, role: 'listbox', tabindex: '-1', 'aria-label': label});
  const note = h('p', {class: 'hint'});
  const box = h('div', {class: 'offered', hidden: true}, list, note);
  // It is there from the beginning, so that what comes into it is read out.
  const told = h('p', {class: 'unseen', role: 'status'});
  let items = [], active = -1, asked = 0, timer;
  for (const [name, value] of Object.entries({role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': id})) {
    input.setAttribute(name, value);
  }
  input.after(box, told);

  const isOpen = () => !box.hidden;

  function close() {
    clearTimeout(timer);
    asked += 1;
    box.hidden = true;
    told.textContent = '';
    input.setAttribute('aria-expanded', 'false');
    mark(-1);
  }

  function mark(place) {
    active = place;
    for (const [number, option] of Array.from(list.children).entries()) option.setAttribute('aria-selected', String(number === place));
    if (place < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', list.children[place].id);
    list.children[place].scrollIntoView({block: 'nearest'});
  }

  function take(place) {
    const item = items[place];
    close();
    choose(item);
  }

  async function look() {
    const text = input.value.trim();
    if (text.length < least) return close();
    const mine = asked += 1;
    // It only helps: whoever cannot be helped types on.
    const found = await find(text).catch(() => ({items: []}));
    if (mine !== asked || document.activeElement !== input) return;
    items = found.items;
    note.textContent = found.note ?? '';
    note.hidden = !found.note;
    list.replaceChildren(...items.map((item, place) => h('li', {role: 'option', id: `${id}-${place}`, 'aria-selected': 'false', onclick: () => take(place)}, show(item))));
    mark(-1);
    list.hidden = !items.length;
    box.hidden = !items.length && !found.note;
    input.setAttribute('aria-expanded', String(items.length > 0));
    told.textContent = [items.length ? t('placesFound', {count: items.length}) : t('nothingFound'), found.note].filter(Boolean).join(' ');
  }

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(look, pause);
  });
  // Whoever touches what is offered keeps the field.
  box.addEventListener('mousedown', (event) => event.preventDefault());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step && !isOpen()) {
      look();
    } else if (step && items.length) {
      // One more than there are: the text itself.
      const places = items.length + 1;
      mark((active + 1 + step + places) % places - 1);
    } else if (event.key === 'Enter' && active >= 0) {
      take(active);
    } else if (event.key === 'Escape' && isOpen()) {
      // The dialog that it stands in stays.
      event.stopPropagation();
      close();
    } else {
      return;
    }
    event.preventDefault();
  });
}
