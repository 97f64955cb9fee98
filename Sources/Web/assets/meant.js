// What somebody may mean who types a few words, among what is here already: as the server looks through everything.
import {h} from './element.js';

const folded = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('đ', 'd').replaceAll('ß', 'ss');
const wordsOf = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const digitsOf = (text) => text.replace(/[ \-/().]/g, '').match(/^(?:\+|00|0)?(\d{3,})$/)?.[1];

/** Whether two texts differ in case, accents and signs alone. */
export const isSame = (one, other) => wordsOf(one).join(' ') === wordsOf(other).join(' ');

/** Whether for each word that was typed one of these texts has one that begins so. */
export function haveWords(texts, typed) {
  const has = texts.filter(Boolean).flatMap(wordsOf);
  return wordsOf(typed).every((word) => has.some((one) => one.startsWith(word)));
}

/** A text in which the words that are meant are marked. */
export const marked = (text, typed) => (typed && text ? text.split(/([\p{L}\p{N}]+)/u).map((part) => (haveWord(part, typed) ? h('mark', {}, part) : part)) : text);

const haveWord = (part, typed) => wordsOf(typed).some((word) => folded(part).startsWith(word));

/** Whether a delivery has what was typed or, where that is a number, somebody of it a phone with these digits. */
export function isMeant({recipient, courier, description, instructions, reference}, typed) {
  const people = [recipient, courier].filter(Boolean);
  const digits = digitsOf(typed);
  return haveWords([...people.flatMap((one) => [one.first_name, one.last_name]), recipient?.address, description, instructions, reference], typed)
    || Boolean(digits) && people.some(({phone}) => phone?.includes(digits));
}
