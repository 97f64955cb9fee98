// What somebody may mean who types a few words, among what is here already: as the server looks through everything.
const folded = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('đ', 'd').replaceAll('ß', 'ss');
const wordsOf = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const digitsOf = (text) => text.replace(/[ \-/().]/g, '').match(/^(?:\+|00|0)?(\d{3,})$/)?.[1];

/** Whether a delivery has, for each of the words, one that begins so; or, where they are a number, somebody of it a phone with these digits. */
export function isMeant({recipient, courier, description, instructions, reference}, text) {
  const people = [recipient, courier].filter(Boolean);
  const [wanted, digits] = [wordsOf(text), digitsOf(text)];
  const has = wordsOf([...people.flatMap((one) => [one.first_name, one.last_name]), recipient?.address, description, instructions, reference].filter(Boolean).join(' '));
  return Boolean(digits && people.some(({phone}) => phone?.includes(digits))) || wanted.every((word) => has.some((one) => one.startsWith(word)));
}
