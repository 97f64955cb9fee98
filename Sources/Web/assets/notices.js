// Who was told what of a delivery, by which channel, and how that stands.
import {all} from './ask.js';
import {moment} from './delivery.js';
import {h, loading} from './dom.js';
import {t} from './words.js';

/** A list that is folded, and loaded when somebody wants to see it; `load` has an open one loaded anew. */
export function noticesOf(id) {
  const list = h('ul', {class: 'rows'});
  const load = () => element.open && loading(list, () => all(`/v1/deliveries/${id}/notices`), (items) =>
    list.replaceChildren(...(items.length ? items.map(row) : [h('li', {class: 'hint'}, t('nobodyTold'))])));
  const element = h('details', {ontoggle: load}, h('summary', {}, t('notices')), list);
  return {element, load};
}

function row({kind, to, channel, state, at, reason}) {
  const what = kind === 'recipient_tracking' ? t('trackingLink') : t(`notice_${kind}`);
  return h('li', {}, h('div', {}, h('strong', {}, what), h('p', {}, [to.name, t(`channel_${channel}`)].filter(Boolean).join(' · ')),
    h('p', {class: state === 'given_up' ? 'warning' : 'hint'}, `${t(`stands_${state}`)}${reason ? `: ${reason}` : ''}`, ' · ', moment(at))));
}
