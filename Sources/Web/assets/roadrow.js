// A report of the road as it stands in the list, what one says of it, and one that waits to be reported.
import {distance} from './distance.js';
import {h} from './dom.js';
import * as outgoing from './outgoing.js';
import {kindSign} from './roadkinds.js';
import {t, when} from './words.js';

export const unsent = (item) => h('li', {class: 'report waiting'}, h('span', {class: `kind ${item.body.kind}`, 'aria-hidden': 'true'}, kindSign(item.body.kind)),
  h('div', {}, h('strong', {}, item.body.title), h('p', {class: 'warning', role: 'status'}, t(outgoing.isSending(item) ? 'isSending' : 'willBeSent', {action: t('do_report_road')})),
    !outgoing.isSending(item) && h('p', {class: 'actions'}, h('button', {type: 'button', onclick: () => outgoing.takeBack(item)}, t('takeBack')))));

export function row(item) {
  const {kind, title, text, road, distance_m: meters} = item;
  return h('li', {class: 'report', 'data-key': item.id}, h('span', {class: `kind ${kind}`, 'aria-hidden': 'true'}, kindSign(kind)),
    h('div', {}, h('h2', {}, title), h('p', {class: 'hint'}, [title !== t(`road_${kind}`) && t(`road_${kind}`), road, item.road_type && t(`roadtype_${item.road_type}`)].filter(Boolean).join(' · ')),
      text && h('p', {class: 'said'}, text), h('p', {class: 'hint'}, t('sinceTime', {time: when(item.valid_from)})), ...votes(item)),
    h('span', {class: 'far'}, distance(meters)));
}

/** What one can say of it, or has said. */
function votes(item) {
  const waiting = outgoing.waiting(item.id);
  if (waiting) {
    return [h('p', {class: 'warning', role: 'status'}, t(outgoing.isSending(waiting) ? 'isSending' : 'willBeSent', {action: t(`do_${waiting.action}`)}))];
  }
  const said = {gone: 'roadYouGone', still_there: 'roadYouStill'}[item.voted];
  const button = (action, name) => h('button', {type: 'button', 'aria-label': `${t(`do_${action}`)}: ${item.title}`,
    onclick: () => outgoing.addTo(`/v1/roads/${item.id}/${name}`, item.id, action)}, t(`do_${action}`));
  return [h('p', {class: 'actions'}, item.voted !== 'gone' && button('road_gone', 'gone'), !item.voted && button('road_still', 'still_there'),
    said && h('span', {class: 'hint'}, `✓ ${t(said)}`))];
}
