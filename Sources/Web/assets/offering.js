// How a delivery is offered: to all at once, or to one after the other, and from when on.
import {remembered} from './account.js';
import {isFailed, isLate, isOld, isSlow, willBeLate} from './due.js';
import {keeperOf} from './keeper.js';
import {t, when} from './words.js';

const orders = ['given', 'nearest', 'reliable'];
const usualSeconds = 60;

/** The fields of how it is offered, as `offer` has it. */
export const modes = (offer) => [
  {name: 'offer.order', label: t('offerMode'), value: offer?.mode === 'in_turn' ? offer.order ?? orders[0] : 'all', required: true,
    options: ['all', ...orders].map((order) => [order, t(`offer_${order}`)])},
  {name: 'offer.each_seconds', label: t('offerEach'), value: offer?.each_seconds ?? usualSeconds, inputmode: 'numeric', required: true, hint: t('offerEachHint')},
];

/** What was filled in, as the API wants it. */
export const offerIn = ({order, each_seconds: seconds}) => (order === 'all' ? {mode: 'all'} : {mode: 'in_turn', order, each_seconds: Number(seconds)});

/** Whether it is offered in the way that it was before. */
export const isSame = (offer, before) => offer.mode === (before?.mode ?? 'all')
  && (offer.mode === 'all' || (offer.order === before.order && offer.each_seconds === before.each_seconds));

/** Whether couriers are to hear of it only later. */
export const isHeld = ({status, offered}) => status === 'pending' && offered === false;

/** Whether nobody is left whom it is offered to. */
export const isStranded = (one) => one.status === 'pending' && one.offered_count === 0 && !isHeld(one);

/** Minutes after which it is worth a look that nobody has accepted. */
export const patience = () => remembered()?.alert_after_minutes ?? 10;

// How often it had been given back when others were chosen here, which is what there is to do about it.
const chosenSince = new Map();
export const tellChosen = ({id, given_back_count: count}) => chosenSince.set(id, count);

/** Whether somebody had accepted it and gave it back, and others are still asked: so until one takes it, or others are chosen. */
export const isGivenBack = (one) => one.status === 'pending' && one.given_back_count > (chosenSince.get(one.id) ?? 0) && !isHeld(one) && !isStranded(one);

/** Whether those who were asked have had half of their time. */
export const isLong = (one) => isOld(one, patience() / 2);

/** Whether those who were asked have had their time. */
export const isIgnored = (one) => isOld(one, patience());

export const isUnaccepted = (one) => one.status === 'pending' && !isStranded(one) && !isGivenBack(one) && isIgnored(one);

// Of whom nobody hears, since all who could were off duty: only an answer to what was done here says so.
const unheard = new Set();
export const tellHeard = ({id, nobody_on_duty: isUnheard}) => (isUnheard ? unheard.add(id) : unheard.delete(id));
export const isUnheard = (one) => one.status === 'pending' && unheard.has(one.id) && !isStranded(one) && !isGivenBack(one) && !isUnaccepted(one);

/** Whether somebody has it who is not to bring it. */
export const isElsewhere = (one) => Boolean(keeperOf(one));

/** Whether it needs its store's hand, and so stands out at a glance. */
export const isUrgent = (one) => isUnheard(one) || isGivenBack(one) || isLate(one) || isFailed(one) || isStranded(one) || isUnaccepted(one) || isSlow(one) || isElsewhere(one) || willBeLate(one);

/** What of it changes what is said with time alone. */
export const needOf = (one) => [isUrgent, isUnaccepted, isUnheard, isGivenBack, isLong, isIgnored, (each) => keeperOf(each)?.id].map((is) => is(one)).join();

/** From when on it is offered. */
export const offeredFrom = ({offer_at: at}) => t('offeredFrom', {time: when(at)});

/** What is said of one that was just created. */
export const createdWords = (one) => (isHeld(one) ? t('createdHeld', {time: when(one.offer_at)}) : t(one.nobody_on_duty ? 'createdUnheard' : 'created'));

/** What a store wants where a delivery does not say it. */
export const usualOffer = () => remembered().offer;
