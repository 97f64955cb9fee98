// Where there is nothing: a drawing, a sentence, and what to do next.
import {h, s} from './dom.js';

/** An empty place, as an element of that name. */
export const nothing = (element, text, hint, verb, act) => h(element, {class: 'nothing'},
  s('svg', {viewBox: '0 0 96 48', 'aria-hidden': 'true'}, s('path', {d: 'M4 44h88M36 44 46 4M60 44 50 4M48 10v6M48 22v8M48 36v8'})),
  h('p', {}, h('strong', {}, text)), hint && h('p', {class: 'hint'}, hint), verb && h('p', {class: 'actions'}, h('button', {type: 'button', onclick: act}, verb)));
