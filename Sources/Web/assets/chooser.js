// A choice that is so at once, and is as it was where that is refused.
import {inTurn} from './ask.js';
import {h, newID, say, wordsOf} from './dom.js';

/** Of these `options`, values with their names; `save` gets what is chosen. */
export function chooser(label, value, options, save) {
  let kept = value;
  const turn = inTurn();
  const select = h('select', {id: newID(), onchange: () => turn(async () => {
    const chosen = select.value;
    try {
      await save(chosen);
      kept = chosen;
    } catch (error) {
      select.value = kept;
      say(wordsOf(error));
    }
  })}, options.map(([name, text]) => h('option', {value: name}, text)));
  select.value = value;
  return h('div', {class: 'field'}, h('label', {for: select.id}, label), select);
}
