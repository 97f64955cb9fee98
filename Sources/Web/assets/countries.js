// The countries that a shop may be in, by the names that the reader has for them.
import {language} from './words.js';

const codes = 'AT BA BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LT LU LV ME MK MT NL NO PL PT RO RS SE SI SK XK'.split(' ');

/** Codes and names, as a choice has them; one that is not among them is there all the same. */
export function countries(own) {
  const names = new Intl.DisplayNames(language(), {type: 'region'});
  const all = codes.includes(own) || !own ? codes : [...codes, own];
  return all.map((code) => [code, names.of(code)]).sort(([, one], [, other]) => one.localeCompare(other, language()));
}
