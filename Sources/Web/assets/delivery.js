// What both pages show of a delivery and of a courier.
import {get} from './ask.js';
import {h, loading} from './dom.js';
import {icon} from './icons.js';
import {failReasons, returnReasons} from './lifecycle.js';
import {money} from './money.js';
import {t, when} from './words.js';

export const signs = {pending: '◔', in_progress: '➜', delivered: '✓', cancelled: '✕'};
/** What somebody had accepted and gave back. */
export const backSign = '↺';

/** A state, by sign, word and colour. */
export const badge = (status, name = t(`status_${status}`)) =>
  h('span', {class: `badge ${status}`}, h('span', {'aria-hidden': 'true'}, `${signs[status]} `), name);

/** Of a recipient whom one does not know yet, the first name. Who is forgotten has none, nor has who is erased. */
export const fullName = (person) => (person
  ? [person.first_name, person.last_name].filter(Boolean).join(' ') || t('erasedCourier') : t('forgottenRecipient'));

/** A name where there is little room: Ana Anić as Ana A. */
export const shortName = (name) => name.replace(/ (\S)\S*$/, ' $1.');

/** Whether a delivery is told of at all: what one may not see any more has no recipient, not even a forgotten one. */
export const isSeen = (delivery) => Boolean(delivery && 'recipient' in delivery);

/** How a name begins, to stand for it. */
export const initials = (name) => name.split(/\s+/).slice(0, 2).map((word) => Array.from(word)[0]).join('').toUpperCase();

export const moment = (time) => h('time', {datetime: time}, when(time));

/** As numbers are read out: the country's, two more or the one that some capitals have, and the rest in two. */
export const grouped = (phone) => phone.replace(/^(\+(?:36|38[56]|43))(1)(\d{4})(?=\d)/, '$1 $2 $3 ')
  .replace(/^(\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}))(\d{2})(\d{3})(?=\d)/, '$1 $2 $3 ');

/** Calls; `shown` is the number, unless a name says more. */
export const phoneLink = (phone, name, shown = phone && grouped(phone)) =>
  phone && h('a', {href: `tel:${phone}`, class: 'button', 'aria-label': t('callName', {name})}, icon('phone'), h('span', {}, shown));

/** To whom it goes, and where. */
export const whose = ({recipient}) => [fullName(recipient), recipient?.address].filter(Boolean).join(', ');

/** What a courier has delivered of what is over, between 0 and 1; who has none yet comes last. */
export const shareOf = ({delivered, cancelled}) => (delivered + cancelled ? delivered / (delivered + cancelled) : -1);

/** Whether a courier takes offers now, where that is known. */
export const onDuty = ({on_duty: isOn}) =>
  isOn !== undefined && h('span', {class: `badge ${isOn ? 'delivered' : 'cancelled'}`}, ` ${isOn ? '●' : '○'} `, h('span', {}, t(isOn ? 'isOnDuty' : 'isOffDuty')));

// Of fewer than so many nothing is said yet; and below which percentage one had better look twice.
const telling = 5, low = 80;

/** How reliable a courier is. */
export function reliability({accepted, delivered, cancelled, declined}, isBrief) {
  const over = delivered + cancelled;
  const percent = Math.round(100 * shareOf({delivered, cancelled}));
  const share = over ? t('reliable', {percent}) : t('noDeliveriesYet');
  const figures = t('figuresOf', {accepted, delivered, cancelled, declined});
  return h('span', {class: 'hint counts', title: figures}, h('span', {class: over >= telling && percent < low && 'low'}, share), ' ', over > 0 && !isBrief && h('span', {}, told(signs.delivered, delivered, t('deliveredCount', {count: delivered})),
    h('span', {}, ' · ', told(backSign, cancelled, t('cancelledCount', {count: cancelled})))));
}

/** How many, by a sign for the eye and in words for the ear. */
const told = (sign, count, words) => h('span', {}, h('span', {'aria-hidden': 'true'}, `${sign} ${count}`), h('span', {class: 'unseen'}, words));

/** Why a courier gave something back; in former days that was a text. */
export const reasonOf = (reason) => (returnReasons.includes(reason) ? t(`reason_${reason}`) : reason);

/** Why it could not be handed over. */
export const failureOf = (reason) => (failReasons.includes(reason) ? t(`failure_${reason}`) : reason ?? t('failure_other'));

/** What was collected when it was handed over, by its steps. */
export function collected(steps) {
  const {cash_collected: cash} = steps.findLast(({action}) => action === 'deliver') ?? {};
  return cash ? money(cash) : '';
}

// Where a courier's jobs are kept for when there is no connection, `{at, items}`.
export const jobsKept = 'kurir.jobs';

/** Whether it stands in a courier's list: what it carries or has delivered, and what it may still accept or decline. */
export const isListed = (delivery) => isSeen(delivery)
  && (delivery.status === 'pending' ? delivery.allowed_actions.includes('decline') : delivery.status !== 'cancelled');

/** A name and what stands beside it, line by line; what is missing is left out. */
export const facts = (rows) =>
  h('dl', {class: 'facts'}, rows.filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

/** Each step that a delivery went through: folded, and unfolded by `load` where they tell more than how far it has come; `told` gets them. */
export function history(id, told = () => {}) {
  const list = h('ol', {class: 'timeline'});
  const element = h('details', {class: 'more'}, h('summary', {}, t('history')), list);
  const load = () => loading(list, () => get(`/v1/deliveries/${id}/history`, {limit: 200}), ({items}) => {
    // What another courier declined is nothing to whoever carries it, and the store knows all by name.
    const shown = items.filter(({action, actor}) => action !== 'decline' || actor.name !== undefined);
    list.replaceChildren(...shown.map(step));
    element.open ||= shown.some(saysMore);
    told(items);
  });
  return {element, load};
}

const saysMore = ({action, note, received_by: by, photo_ids: photos, signature_id: signature}) =>
  !['create', 'accept', 'pick_up', 'deliver'].includes(action) || note || by || photos?.length || signature;

function step({action, status, actor, at, reason, note, received_by: by, cash_collected: cash, photo_ids: photos = [], signature_id: signature}) {
  const who = actor.name || t(actor.kind === 'store' ? 'theStore' : actor.name === '' ? 'erasedCourier' : 'anotherCourier');
  // What a courier cancels goes back.
  const did = action === 'cancel' && actor.kind === 'courier' ? 'return' : action;
  const why = reason && (did === 'return' ? reasonOf(reason) : did === 'fail' ? failureOf(reason) : reason);
  const said = [why, by && t('receivedBy', {name: by}), cash && t('collected', {amount: money(cash)}), note].filter(Boolean);
  return h('li', {class: `${status} ${did}`}, h('p', {}, h('strong', {}, t(`did_${did}`)), ` · ${who} · `, moment(at)),
    said.map((text) => h('p', {class: 'said'}, text)),
    (photos.length || signature) && h('p', {class: 'shown'}, photos.map((id) => picture(id, t('stepPicture'))), signature && picture(signature, t('signature'))));
}

/** A small one, which leads to the whole. */
const picture = (id, name) => h('a', {href: `/v1/files/${id}`, target: '_blank'}, h('img', {src: `/v1/files/${id}?width=320`, alt: name, loading: 'lazy'}));
