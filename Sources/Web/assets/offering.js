// How a delivery is offered: to all at once, or to one after the other, and from when on.
import {remembered} from './account.js';
import {t} from './words.js';

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

/** What a store wants where a delivery does not say it. */
export const usualOffer = () => remembered().offer;
