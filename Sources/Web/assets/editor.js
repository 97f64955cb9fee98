// The form of a delivery, new or to be changed: one screen, with what few deliveries need folded.
import {remembered} from './account.js';
import {ask, get, keeper, post, Refusal} from './ask.js';
import {keepLoaded, picker, statesOf} from './choose.js';
import {grouped} from './delivery.js';
import {h, newID, openBeside} from './dom.js';
import {form} from './form.js';
import {completeRecipient} from './found.js';
import {keys} from './keys.js';
import {amountIn, currencyOf, signOf, typed} from './money.js';
import {isSame, modes, offerIn, usualOffer} from './offering.js';
import {placeField} from './placefield.js';
import {t} from './words.js';

// Whom the last delivery was offered to: mostly the next one goes to the same.
const place = 'kurir.chosen';
const sizes = ['small', 'medium', 'large', 'bulky'];

/**
 * Opens it for a new delivery, which may begin as one `like` another, or for one that is open, of which others cannot be chosen once
 * somebody carries it; `done` gets what came of it.
 */
export function edit(delivery, done, like = delivery) {
  const recipient = like?.recipient ?? {};
  const kept = localStorage.getItem(place);
  const chosen = new Set(delivery ? delivery.candidates.filter(({state}) => state !== 'forfeited').map(({courier_id: id}) => id) : JSON.parse(kept ?? '[]'));
  const isOffered = !delivery || delivery.status === 'pending';
  const key = keeper();
  const verbs = h('span', {}, t(delivery ? 'save' : 'create'));
  tellCount(chosen.size);
  let version = delivery?.version;
  const couriers = picker(chosen, delivery ? statesOf(delivery) : new Map(), like?.pickup, {isNew: !delivery && kept === null, counted: tellCount});
  const byWhen = dueField(delivery?.due_at);
  const more = terms(like, !delivery, isOffered);
  let isPicked = false;
  const where = placeField(recipient.location, () => {
    isPicked = true;
    tellMissing();
  });
  const fields = [h('h3', {}, t('recipientHead')),
    {name: 'recipient.first_name', label: t('firstName'), value: recipient.first_name, required: true},
    {name: 'recipient.last_name', label: t('lastName'), value: recipient.last_name, required: true},
    {name: 'recipient.address', label: t('address'), value: recipient.address, required: true},
    where.element,
    {name: 'recipient.phone', label: t('phone'), value: recipient.phone && grouped(recipient.phone), type: 'tel'},
    {name: 'instructions', label: t('instructions'), value: like?.instructions, rows: 1},
    {name: 'description', label: t('description'), value: like?.description, required: true, rows: 1},
    byWhen.element, ...isOffered ? [couriers.element] : [], ...more.folds,
  ];
  const verb = [verbs, keys.areOn() && h('kbd', {'aria-hidden': 'true'}, 'Ctrl ↵')];
  const element = form(fields, verb, send, {cancel: () => dialog.close()});
  const known = completeRecipient(element, recipient, (place, isTaken) => {
    // Whatever was set before was set for another address.
    if (isTaken) isPicked = false;
    if (!isPicked) where.know(place);
    tellMissing();
  });
  // Beside the label, where it moves nothing away from under whoever just touches it.
  const missing = h('span', {class: 'hint missing', role: 'status'});
  const address = element.elements['recipient.address'];
  address.parentElement.prepend(missing);

  /** What the button does is said by it: of a new one also how many are asked. */
  function tellCount(count) { if (!delivery) verbs.textContent = count ? t('createAndOffer', {count}) : t('create'); }

  /** Who has typed an address to its end is told that nobody knows where that is. */
  function tellMissing() {
    missing.textContent = address.value.trim() && !where.location() && document.activeElement !== address ? `! ${t('placeMissing')}` : '';
  }

  const dialog = openBeside(t(delivery ? 'editDelivery' : 'newDelivery'), element);
  dialog.classList.add('wide', 'editor');
  keepLoaded(dialog, couriers);

  async function send(values) {
    const body = more.read(nested(values));
    // Whom it is offered to is known once they are there.
    await couriers.loaded;
    if (isOffered) body.courier_ids = Array.from(chosen);
    // A time that stays may be over already, which is nothing new.
    if (byWhen.until() !== (delivery?.due_at ?? null)) body.window = byWhen.until() && {...delivery?.window, until: byWhen.until()};
    // A place is that of its address, unless somebody has set it.
    if (isPicked) body.recipient.location = where.location();
    else if (!delivery || known.location() !== recipient.location) body.recipient.location = known.location();
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
  const body = {};
  for (const [name, value] of Object.entries(values)) {
    const [outer, inner] = name.split('.');
    if (inner) (body[outer] ??= {})[inner] = value; else body[name] = value;
  }
  return body;
}

/** A moment as fields for times have it, and back. */
const local = (moment) => new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
const moment = (text) => (text ? new Date(text).toISOString() : null);

/** By when: as soon as possible, in half an hour, or at a time. */
function dueField(due) {
  const id = newID();
  const [day, clock] = [h('input', {type: 'date', 'aria-label': t('oneDay')}), h('input', {type: 'time', 'aria-label': t('due')})];
  const at = h('span', {class: 'moment', hidden: !due}, clock, day);
  const set = (time) => { [day.value, clock.value] = local(time).split('T'); };
  if (due) set(new Date(due));
  let chosen = due ? 'at' : 'now', soon;
  const choose = (name) => () => {
    chosen = name;
    soon = moment(Date.now() + 1_800_000);
    at.hidden = name !== 'at';
    // The next quarter in an hour is as good a guess as any.
    if (!day.value || !clock.value) set(new Date(Math.ceil((Date.now() + 3_600_000) / 900_000) * 900_000));
    if (name === 'at') clock.focus();
  };
  const chip = (name) => h('label', {class: 'chip'},
    h('input', {type: 'radio', name: id, class: 'unseen', checked: chosen === name, onchange: choose(name)}), t(`due_${name}`));
  const element = h('fieldset', {id, name: 'window.until'}, h('legend', {}, t('due')),
    h('div', {class: 'chips'}, ['now', 'soon', 'at'].map(chip), at), h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true}));
  const kept = due && local(new Date(due));
  const value = () => day.value && clock.value && `${day.value}T${clock.value}`;

  return {
    element,
    /** A time that nobody has touched stays to the second. */
    until: () => (chosen === 'now' ? null : chosen === 'soon' ? soon : value() === kept ? due : moment(value())),
  };
}

/** As a new one begins that goes to the same recipient with the same things: at its own time, and under its own reference. */
export const again = ({pickup, ...delivery}) => ({...delivery, reference: null, offer_at: null, pickup: pickup && {...pickup, ready_at: null}});

/** What few deliveries need: folded, unless this one has it. */
function terms(delivery, isNew, isOffered) {
  const {pickup = {}, parcel, cash, pay} = delivery ?? {};
  const usual = currencyOf(remembered().country);
  const proof = delivery ? delivery.proof ?? {} : remembered().proof ?? {};
  const currencies = {cash: cash?.currency ?? usual, pay: pay?.currency ?? usual, value: parcel?.value?.currency ?? usual};
  const amount = (name, label, value) => ({name, label: `${t(label)} (${signOf(currencies[name.split('.').at(-1)])})`, value: typed(value), inputmode: 'decimal'});
  const offer = delivery ? delivery.offer : usualOffer();
  const from = delivery?.offer_at;
  const offering = {fold: t('offering'), isOpen: offer?.mode === 'in_turn' || from, fields: [...modes(offer),
    {name: 'offer_at', label: t('offerAt'), type: 'datetime-local', value: from && local(new Date(from)), hint: t('offerAtHint')}]};
  const folds = [
    ...isOffered ? [offering] : [],
    {fold: t('parcel'), isOpen: parcel, fields: [
      {name: 'parcel.pieces', label: t('pieces'), value: parcel?.pieces, inputmode: 'numeric'},
      {name: 'parcel.weight_g', label: t('weight'), value: parcel?.weight_g && (parcel.weight_g / 1000).toLocaleString(undefined, {useGrouping: false}), inputmode: 'decimal'},
      {name: 'parcel.size', label: t('size'), value: parcel?.size, options: [['', '–'], ...sizes.map((size) => [size, t(`size_${size}`)])]},
      amount('parcel.value', 'value', parcel?.value),
      {name: 'parcel.fragile', label: t('fragile'), type: 'checkbox', value: parcel?.fragile},
      {name: 'parcel.cold', label: t('cold'), type: 'checkbox', value: parcel?.cold},
    ]},
    {fold: t('moneyAndProof'), isOpen: cash || pay || delivery?.proof, fields: [
      amount('cash', 'cash', cash), amount('pay', 'pay', pay),
      ...['pin', 'photo', 'signature'].map((name) => ({name: `proof.${name}`, label: t(`proof_wants_${name}`), type: 'checkbox', value: proof[name]})),
    ]},
    {fold: t('pickupAndReference'), isOpen: delivery?.pickup || delivery?.reference, fields: [
      {name: 'pickup.address', label: t('pickup'), value: pickup.address, hint: t('pickupHint')},
      {name: 'pickup.ready_at', label: t('readyAt'), type: 'datetime-local', value: pickup.ready_at && local(new Date(pickup.ready_at))},
      {name: 'pickup.instructions', label: t('pickupHow'), value: pickup.instructions},
      {name: 'reference', label: t('reference'), value: delivery?.reference, hint: t('referenceHint')},
    ]},
  ];

  /** What was filled in, as the API wants it: what has nothing in it is null. */
  function read(body) {
    const {parcel: filled, pickup: source, offer: wanted, offer_at: begins, ...rest} = body;
    const grams = filled.weight_g && Number(filled.weight_g.replace(',', '.')) * 1000;
    filled.weight_g = grams && Math.round(grams);
    filled.value = amountIn(filled.value, currencies.value);
    const isSaid = Object.values(filled).some(Boolean);
    filled.pieces = filled.pieces ? Number(filled.pieces) : 1;
    source.ready_at = moment(source.ready_at);
    if (pickup.location && source.address === pickup.address) source.location = pickup.location;
    // Nothing erases what was there, and of a new one is not said at all.
    const nothing = isNew ? undefined : null;
    const offers = isOffered ? {offer: offerIn(wanted), offer_at: moment(begins) ?? nothing} : {};
    // What stays is not said again: turns would begin anew, and a time may have come already.
    if (!isNew && isSame(offers.offer, offer)) delete offers.offer;
    if (begins && begins === (from && local(new Date(from)))) delete offers.offer_at;
    return {...rest, ...offers, parcel: isSaid ? filled : nothing, pickup: Object.values(source).some(Boolean) ? source : nothing,
      cash: amountIn(body.cash, currencies.cash), pay: amountIn(body.pay, currencies.pay)};
  }

  return {folds, read};
}
