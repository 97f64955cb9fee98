// What there is to carry, in a few words.
import {money} from './money.js';
import {number, t} from './words.js';

/** Pieces, weight, size and what to mind; null of what says nothing of that. */
export function parcelOf({parcel}) {
  if (!parcel) return null;
  const {pieces, weight_g: grams, size, fragile, cold, value} = parcel;
  return [
    t('pieceCount', {count: pieces}), grams && `${number(grams / 1000)} kg`, size && t(`size_${size}`), fragile && t('fragile'),
    cold && t('cold'), value && t('worth', {amount: money(value)}),
  ].filter(Boolean).join(' · ');
}
