// A row of a store's deliveries: by when, for whom, where to, who brings it, and how far it is.
import {remembered} from './account.js';
import {expected} from './arriving.js';
import {backSign, failureOf, fullName, shortName, signs} from './delivery.js';
import {h} from './dom.js';
import {due, isFailed, isOpen, isSlow, offeredAt, since} from './due.js';
import {icon} from './icons.js';
import {keeperOf} from './keeper.js';
import {marked} from './meant.js';
import {isElsewhere, isGivenBack, isHeld, isLong, isStranded, isUnheard, isUrgent, offeredFrom} from './offering.js';
import {streetOf} from './way.js';
import {span, t, timeOf, when} from './words.js';

/** Whether no map knows where it goes, though its store is on one. */
export const isUnplaced = (delivery) => Boolean(isOpen(delivery) && delivery.recipient && !delivery.recipient.location && remembered()?.location);

/** Opens it by `act`; `isOpen` is whether it is shown beside, and `words` are those that are searched for. */
export function row(delivery, act, {isOpen = false, words = ''} = {}) {
  const found = (text) => marked(text, words);
  const {recipient, courier, offered_count: left, status, stop} = delivery;
  const who = courier ? fullName(courier) : isHeld(delivery) ? offeredFrom(delivery) : t('offeredTo', {count: left});
  const keeper = keeperOf(delivery);
  const trouble = isStranded(delivery) ? t('nobodyLeft') : isUnheard(delivery) ? t('nobodyOnDuty') : keeper && status !== 'in_progress' && t('stillWith', {name: shortName(keeper.name ?? '') || t('erasedCourier')});
  const said = trouble ? `! ${trouble}` : (courier || status !== 'cancelled') && who;
  const nth = courier && stop && ` · ${t('stopOf', stop)}`;
  const over = delivery.delivered_at ?? delivery.cancelled_at;
  return h('li', {}, h('button', {type: 'button', class: `card ${status}${isUrgent(delivery) ? ' urgent' : ''}`, 'aria-current': isOpen && 'true', onclick: act},
    h('span', {class: 'when'}, over ? h('time', {datetime: over}, timeOf(over)) : delivery.due_at ? due(delivery) : isHeld(delivery) ? h('span', {class: 'left'}, t('readyFrom', {time: when(delivery.offer_at)})) : [h('span', {class: 'hint'}, t('due_now')), ' ', h('span', {class: 'left', title: t('createdAt')}, t('sinceTime', {time: when(delivery.created_at)}))]),
    h('strong', {title: fullName(recipient)}, found(fullName(recipient))), h('span', {class: 'street', title: recipient?.address}, found(streetOf(recipient?.address, remembered()?.address))), h('span', {class: 'hint what'}, found(delivery.description)),
    h('span', {class: trouble ? 'warning' : 'by', title: said && `${said}${nth || ''}`},
      // Where there is little room, it is the name that is cut off.
      said && h('span', {}, courier ? found(said) : said), nth && h('span', {class: 'stop'}, nth)), state(delivery)));
}

/** Who still has it that is to be brought by somebody else, by as many names. */
const parcelWith = ({name}, names) => t('parcelWith', {name: name ? name.split(' ').slice(0, names).join(' ') : t('erasedCourier')});

/** What came of bringing it, where it could not be handed over. */
const failure = ({attempts, last_attempt: last}) => `! ${attempts > 1 ? `${attempts}× ` : ''}${failureOf(last.reason)}`;

/** How far it is, and how long that has been so: whether that is an alarm, what it says, and its sign if it has another than its status. */
function progress(delivery) {
  const {status, picked_up_at: fetched} = delivery;
  if (isFailed(delivery)) return {isAlarm: true, text: failure(delivery), sign: ''};
  if (isGivenBack(delivery)) return {isAlarm: true, text: t('wasGivenBack'), sign: backSign};
  if (isElsewhere(delivery) && (status === 'in_progress' || isStranded(delivery))) return {isAlarm: true, text: parcelWith(keeperOf(delivery), 1), sign: '!'};
  if (isHeld(delivery)) return {isAlarm: isUrgent(delivery), text: t('offeredLater')};
  if (status === 'pending') return {isAlarm: isUrgent(delivery), text: [t('waitsSince'), ' ', h('span', {class: isLong(delivery) && 'long'}, since(offeredAt(delivery)))]};
  if (isSlow(delivery)) return {isAlarm: true, text: [t('lasts'), ' ', since(offeredAt(delivery))], sign: '!'};
  if (status === 'in_progress') return {text: [h('span', {class: 'far'}, `${t(fetched ? 'did_pick_up' : 'did_accept')} `), expected(delivery)]};
  return {text: punctuality(delivery)};
}

function state(delivery) {
  const {status} = delivery;
  const {isAlarm, text, sign = signs[status]} = progress(delivery);
  return h('span', {class: `state badge ${status}${isAlarm ? ' alarm' : ''}`}, sign && h('span', {'aria-hidden': 'true'}, `${sign} `), h('span', {class: 'unseen'}, `${t(`status_${status}`)} `), text,
    !isFailed(delivery) && isUnplaced(delivery) && h('span', {class: 'unplaced', title: t('noPlace')}, icon('unplaced'), h('span', {class: 'unseen'}, ` · ${t('noPlace')}`)));
}

/** Whether it came in time, and else how late; of what had no time, how long it took, and of what was cancelled, after how long. */
export function punctuality(delivery) {
  const {delivered_at: at, due_at: until, cancelled_at: ended} = delivery;
  if (!at) return ended ? h('span', {class: 'how hint'}, t('endedAfter', {time: span(Math.max(60, (Date.parse(ended) - Date.parse(offeredAt(delivery))) / 1000))})) : '';
  const late = (Date.parse(at) - Date.parse(until ?? offeredAt(delivery))) / 1000;
  return !until ? h('span', {class: 'how hint'}, t('took', {time: span(Math.max(60, late))})) : h('span', {class: `how${late > 0 ? ' warning' : ''}`}, late > 0 ? t('cameLate', {time: span(Math.max(60, late))}) : t('onTime'));
}
