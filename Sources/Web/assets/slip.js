// What is stuck onto a parcel: to whom, where, and a code that opens the job on the courier's phone.
import {fullName} from './delivery.js';
import {h, mark} from './dom.js';
import {icon} from './icons.js';
import {parcelOf} from './parcel.js';
import {money} from './money.js';
import {t, when} from './words.js';

/** Prints the slip of a delivery. */
export async function printSlip(delivery) {
  const {id, store, recipient, reference, description, instructions, cash, due_at: due} = delivery;
  const code = h('img', {src: `/courier/${id}/qr.svg`, alt: '', width: 180, height: 180});
  const slip = h('section', {class: 'slip', 'aria-label': t('slip')},
    h('div', {}, h('p', {class: 'brand'}, mark(), store.name), h('p', {class: 'to'}, fullName(recipient)),
      h('p', {class: 'where'}, recipient.address), recipient.phone && h('p', {}, icon('phone'), recipient.phone), instructions && h('p', {}, instructions),
      h('p', {class: 'what'}, [description, parcelOf(delivery)].filter(Boolean).join(' · ')), cash && h('p', {class: 'to'}, t('collect', {amount: money(cash)})),
      h('p', {}, [due && t('byTime', {time: when(due)}), reference].filter(Boolean).join(' · '))), code);
  document.body.append(slip);
  // Whoever prints at once would have an empty square.
  await code.decode().catch(() => {});
  window.print();
  slip.remove();
}
