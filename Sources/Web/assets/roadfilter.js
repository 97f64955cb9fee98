// Which kinds of reports are shown.
import {h, openDialog, say} from './dom.js';
import {kinds, kindSign} from './roadkinds.js';
import {t} from './words.js';

/** Chooses among kinds, at least one; `taken` gets those that are off. What is cancelled changes nothing. */
export function chooseKinds(there, off, counts, taken) {
  const boxes = there.map((kind) => h('input', {type: 'checkbox', value: kind, checked: !off.includes(kind), onchange({target}) {
    if (boxes.some(({checked}) => checked)) return;
    target.checked = true;
    say(t('roadOneStays'));
  }}));
  const all = h('button', {type: 'button', class: 'plain', onclick: () => { for (const box of boxes) box.checked = true; }}, t('roadAll'));
  const dialog = openDialog(t('roadFilter'), h('fieldset', {class: 'kinds'}, h('legend', {class: 'unseen'}, t('roadFilter')),
    boxes.map((box) => h('label', {class: 'choice'}, box, h('span', {class: `kind ${box.value}`, 'aria-hidden': 'true'}, kindSign(box.value)),
      h('span', {}, t(`road_${box.value}`)), h('span', {class: 'hint'}, String(counts[box.value] ?? 0))))),
  h('p', {class: 'actions'}, h('button', {type: 'button', class: 'main', onclick: take}, t('show')), all,
    h('button', {type: 'button', onclick: () => dialog.close()}, t('cancel'))));

  function take() {
    dialog.close();
    taken(boxes.filter(({checked}) => !checked).map(({value}) => value));
  }
}
