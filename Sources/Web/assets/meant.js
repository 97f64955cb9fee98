// What somebody may mean who types a few words, among what is here already: as the server looks through everything.
const folded = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('đ', 'd').replaceAll('ß', 'ss');
const wordsOf = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const digitsOf = (text) => text.replace(/[ \-/().]/g, '').match(/^(?:\+|00|0)?(\d{3,})$/)?.[1];

/** Whether a delivery has, for each of the words, one that begins so; or, where they are a number, its recipient a phone with these digits. */
export function isMeant({recipient, description, instructions, reference}, text) {
  const {first_name: first, last_name: last, address, phone} = recipient ?? {};
  const [wanted, digits] = [wordsOf(text), digitsOf(text)];
  const has = wordsOf([first, last, address, description, instructions, reference].filter(Boolean).join(' '));
  return Boolean(digits && phone?.includes(digits)) || wanted.every((word) => has.some((one) => one.startsWith(word)));
}
