// Amounts of money: whole numbers of the smallest unit for the API, with a comma for people.
import {language} from './words.js';

const own = {BG: 'EUR', CH: 'CHF', CZ: 'CZK', DK: 'DKK', GB: 'GBP', HU: 'HUF', PL: 'PLN', RO: 'RON', SE: 'SEK'};

/** What is paid with in a country. */
export const currencyOf = (country) => own[country] ?? 'EUR';

const format = (currency, options) => new Intl.NumberFormat(language(), {style: 'currency', currency, ...options});
const digits = (currency) => format(currency).resolvedOptions().maximumFractionDigits;

/** In the unit that people reckon in. */
export const units = ({amount, currency}) => amount / 10 ** digits(currency);

/** As people read it. */
export const money = (value) => inCurrency(value.currency)(units(value));

/** So many units of a currency, as people read them. */
export const inCurrency = (currency) => (sum) => format(currency).format(sum);

/** Its sign, as it stands beside a field. */
export const signOf = (currency) => format(currency).formatToParts(0).find(({type}) => type === 'currency').value;

/** As it stands in a field, without the sign. */
export const typed = (value) => (value
  ? units(value).toLocaleString(language(), {useGrouping: false, minimumFractionDigits: digits(value.currency)}) : undefined);

/** What was typed; what is no number goes as it is, for the API to refuse. */
export function amountIn(text, currency) {
  if (text === null) return null;
  const number = Number(text.replace(/\s/g, '').replace(',', '.'));
  return {amount: Number.isFinite(number) ? Math.round(number * 10 ** digits(currency)) : text, currency};
}
