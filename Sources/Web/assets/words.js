// What the pages say, in the account's language, else in the one that was chosen before that, else in the browser's.
import {names} from './languages.js';

export {names};
/** Under what the language is kept that somebody chose who was not signed in. */
export const preferred = 'kurir.language';
const wanted = [new URLSearchParams(location.search).get('language'), localStorage.getItem(preferred), ...navigator.languages];
const all = {};
const wholes = {};
let current = wanted.map((name) => name?.slice(0, 2)).find((name) => names[name]) ?? 'en';
let plurals, dates, clock, days, weekdays, wholeDays;
await begin(current);
choose(current);

/** Loads the texts of a language that a page says at first, once. */
async function begin(name) {
  all[name] ??= {...(await import(`./language-${name}.js`)).default};
  // So that it is there without a connection, too.
  navigator.serviceWorker?.ready.then(({active}) => active?.postMessage({speaks: name}));
}

/** Loads all the texts of a language, once. What could not be had is asked for again. */
export function load(name) {
  wholes[name] ??= Promise.all([begin(name), laterOf(name)]).then(([, texts]) => { Object.assign(all[name], texts); }).catch((error) => {
    delete wholes[name];
    throw error;
  });
  return wholes[name];
}

const laterOf = async (name) => (await fetch(new URL(`./language-${name}.json`, import.meta.url))).json();

export const isLoaded = (name) => Boolean(all[name]);

/** Has what views say that are loaded later. */
export const whole = () => load(current);

export const language = () => current;

/** Goes on in a language that is loaded. */
export function choose(name) {
  if (all[name]) current = name;
  document.documentElement.lang = current;
  // English as it is written in Europe: the clock has 24 hours.
  const region = current === 'en' ? 'en-GB' : current;
  plurals = new Intl.PluralRules(region);
  dates = new Intl.DateTimeFormat(region, {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit'});
  clock = new Intl.DateTimeFormat(region, {hour: '2-digit', minute: '2-digit'});
  weekdays = new Intl.DateTimeFormat(region, {weekday: 'short', day: 'numeric', month: 'numeric', timeZone: 'UTC'});
  days = new Intl.DateTimeFormat(region, {day: 'numeric', month: 'short', timeZone: 'UTC'});
  wholeDays = new Intl.DateTimeFormat(region, {dateStyle: 'medium', timeZone: 'UTC'});
}

/** A text by its name, with `{values}` filled in; one with `count` takes the form that goes with the number. */
export function t(name, values = {}) {
  const entry = all[current][name];
  const text = typeof entry === 'object' ? entry[plurals.select(values.count)] ?? entry.other : entry;
  return text.replace(/\{(\w+)\}/g, (_, value) => (typeof values[value] === 'number' ? number(values[value]) : values[value]));
}

export const number = (value) => value.toLocaleString(current, {maximumFractionDigits: 1});

// Milliseconds within which the clock alone says which day is meant.
const halfADay = 12 * 3_600_000;

/** A moment: the time alone when it is today, or near. */
export function when(time) {
  const moment = new Date(time);
  const isNear = moment.toDateString() === new Date().toDateString() || Math.abs(moment - Date.now()) < halfADay;
  return (isNear ? clock : dates).format(moment);
}

/** The time of a day that is known. */
export const timeOf = (time) => clock.format(new Date(time));

/** The day, where the browser is, of a moment: as the API and fields for dates have it. */
export const localDay = (moment) => new Date(moment).toLocaleDateString('sv');

/** A day as the API names it. */
export const shortDay = (day) => days.format(new Date(`${day}T00:00:00Z`));

/** A day with its year. */
export const dayOf = (day) => wholeDays.format(new Date(`${day}T12:00:00Z`));
/** The same with its name. */
export const weekday = (day) => weekdays.format(new Date(`${day}T00:00:00Z`));

/** How long something took. */
export function span(seconds) {
  if (seconds === null) return '–';
  if (seconds < 60) return t('seconds', {number: Math.round(seconds)});
  if (seconds < 3570) return t('minutes', {number: Math.round(seconds / 60)});
  // From two days on days and hours, before that hours, with the minutes beside.
  if (seconds >= 171_000) {
    const all = Math.round(seconds / 3600);
    return t('days', {number: Math.floor(all / 24)}) + (all % 24 ? ` ${t('hours', {number: all % 24})}` : '');
  }
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.round((seconds % 3600) / 60)];
  return minutes % 60 ? `${t('hours', {number: hours})} ${String(minutes).padStart(2, '0')}` : t('hours', {number: hours + minutes / 60});
}
