// The form of a delivery, new or to be changed.
import {all, ask, get, keeper, post, Refusal} from './ask.js';
import {fullName, onDuty, reliability} from './delivery.js';
import {h, loading, newID, openBeside} from './dom.js';
import {form} from './form.js';
import {inviteByNumber} from './invites.js';
import {t} from './words.js';

// Whom the last delivery was offered to: mostly the next one goes to the same.
const place = 'kurir.chosen';
// How to load the couriers of each open form anew.
const pickers = new Set();

/** There are other partners than before: open forms have them to choose from, and keep what was typed. */
export function partnersChanged() { for (const load of pickers) load(); }

/** Opens it for a new delivery, or for one that is open, of which others cannot be chosen once somebody carries it; `done` gets what came of it. */
export function edit(delivery, done) {
  const recipient = delivery?.recipient ?? {};
  const chosen = new Set(delivery ? delivery.candidates.filter(({state}) => state !== 'forfeited').map(({courier_id: id}) => id) : JSON.parse(localStorage.getItem(place) ?? '[]'));
  const isOffered = !delivery || delivery.status === 'pending';
  const key = keeper();
  let version = delivery?.version;
  const couriers = picker(chosen, new Map(delivery?.candidates.map(({courier_id: id, state}) => [id, state])));
  const fields = [
    {name: 'recipient.first_name', label: t('firstName'), value: recipient.first_name, required: true},
    {name: 'recipient.last_name', label: t('lastName'), value: recipient.last_name, required: true},
    {name: 'recipient.address', label: t('address'), value: recipient.address, required: true},
    {name: 'recipient.phone', label: t('phone'), value: recipient.phone, type: 'tel'},
    {name: 'reference', label: t('reference'), value: delivery?.reference, hint: t('referenceHint')},
    {name: 'description', label: t('description'), value: delivery?.description, required: true, rows: 1},
    {name: 'instructions', label: t('instructions'), value: delivery?.instructions, rows: 1},
    ...isOffered ? [couriers.element] : [],
  ];
  const dialog = openBeside(t(delivery ? 'editDelivery' : 'newDelivery'), form(fields, t(delivery ? 'save' : 'create'), send,
    {cancel: () => dialog.close()}));
  dialog.classList.add('wide', 'editor');
  pickers.add(couriers.load);
  dialog.addEventListener('close', () => pickers.delete(couriers.load));

  async function send(values) {
    const body = nested(values);
    if (isOffered) body.courier_ids = Array.from(chosen);
    // A place is that of its address.
    if (recipient.location && body.recipient.address !== recipient.address) body.recipient.location = null;
    const made = await (delivery ? change(body) : post('/v1/deliveries', body, {key: key(body)}));
    if (!delivery) localStorage.setItem(place, JSON.stringify(body.courier_ids));
    dialog.close();
    done(made);
  }

  async function change(body) {
    try {
      return await ask('PATCH', `/v1/deliveries/${delivery.id}`, body, {version});
    } catch (error) {
      if (error.code !== 'version_mismatch') throw error;
      // What was typed stays; whoever saves once more knows that there is something newer.
      const current = await get(`/v1/deliveries/${delivery.id}`);
      version = current.version;
      done(current);
      throw new Refusal(412, {code: error.code, detail: t('changedMeanwhile')});
    }
  }
}

/** `{'recipient.phone': x}` as `{recipient: {phone: x}}`. */
function nested(values) {
  const body = {recipient: {}};
  for (const [name, value] of Object.entries(values)) {
    const [outer, inner] = name.split('.');
    if (inner) body[outer][inner] = value; else body[name] = value;
  }
  return body;
}

/** Chooses candidates among the partners, those on duty first; `states` are what came of those who were asked already. */
function picker(chosen, states) {
  const list = h('div', {class: 'choices'});

  const load = () => loading(list, () => all('/v1/partners'), (partners) => {
    const known = new Set(partners.map(({id}) => id));
    for (const id of chosen) if (!known.has(id)) chosen.delete(id);
    partners.sort((one, other) => (other.on_duty ?? true) - (one.on_duty ?? true));
    const boxes = partners.map((courier) => {
      const toggle = () => (box.checked ? chosen.add(courier.id) : chosen.delete(courier.id));
      const box = h('input', {type: 'checkbox', checked: chosen.has(courier.id), onchange: toggle});
      const state = states.get(courier.id);
      return [box, h('label', {class: 'choice'}, box, h('span', {}, fullName(courier)), onDuty(courier),
        state && state !== 'offered' && h('strong', {}, t(`candidate_${state}`)), reliability(courier.stats))];
    });
    const everybody = () => {
      const are = boxes.some(([box]) => !box.checked);
      for (const [box] of boxes) { box.checked = are; box.dispatchEvent(new Event('change')); }
    };
    list.replaceChildren(...(boxes.length
      ? [h('button', {type: 'button', onclick: everybody}, t('everybody')), ...boxes.map(([, label]) => label)]
      : [h('p', {}, t('noPartnersToChoose')), h('button', {type: 'button', class: 'main', onclick: () => inviteByNumber()}, t('inviteSomebody'))]));
  });
  load();
  const id = newID();
  const element = h('fieldset', {id, name: 'courier_ids'}, h('legend', {}, t('candidates')), h('p', {class: 'hint'}, t('candidatesHint')),
    h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true}), list);
  return {element, load};
}
