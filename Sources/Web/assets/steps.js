// First steps, of which the next one stands out.
import {h, keep, redraw, unpressed} from './dom.js';
import {t} from './words.js';

/** Fills a list with steps, of which the next one stands out unless something else does: `{id, title, text, isDone, isWaiting?, verb, act?}`; one that has something to do has a button, called by its verb, and is next before one that has not, or waits for others. */
export function drawSteps(list, steps, standsOut = true) {
  const left = steps.filter(({isDone}) => !isDone);
  const next = left.find(({act, isWaiting}) => act && !isWaiting) ?? left[0];
  unpressed(list, () => redraw(() => keep(list, steps, (one) => JSON.stringify([one, one === next, standsOut]), (one) => step(one, one === next, standsOut))));
}

const step = ({title, text, isDone, isWaiting, verb, act}, isNext, standsOut) => h('li', {class: isDone ? 'done' : isNext ? 'next' : isWaiting ? 'waits' : '', 'aria-current': isNext && 'step'},
  h('h3', {}, isDone && h('span', {'aria-hidden': 'true'}, '✓ '), title, isDone && h('span', {class: 'unseen'}, ` (${t('done')})`)),
  h('p', {class: 'hint'}, text),
  act && !isDone && h('p', {class: 'actions'}, h('button', {type: 'button', class: isNext && standsOut ? 'main' : '', onclick: act}, verb)));
