// Who was told what of a delivery, by which channel, and how that stands.
import {moment} from './delivery.js';
import {h} from './dom.js';
import {t} from './words.js';

export const rows = (items) => (items.length ? items.map(row) : [h('li', {class: 'hint'}, t('nobodyTold'))]);

function row({kind, to, channel, state, at, reason}) {
  const what = kind === 'recipient_tracking' ? t('trackingLink') : t(`notice_${kind}`);
  return h('li', {}, h('div', {}, h('strong', {}, what), h('p', {}, [to.name, t(`channel_${channel}`)].filter(Boolean).join(' · ')),
    h('p', {class: state === 'given_up' ? 'warning' : 'hint'}, `${t(`stands_${state}`)}${reason ? `: ${reason}` : ''}`, ' · ', moment(at))));
}
