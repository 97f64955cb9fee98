// What a courier says when it hands a parcel over, cannot, or gives it back: asked for here, since the server may be heard of only hours later.
import {Refusal} from './ask.js';
import {photos, signature} from './camera.js';
import {failureOf, reasonOf} from './delivery.js';
import {h, newID} from './dom.js';
import {failReasons, returnReasons} from './lifecycle.js';
import {amountIn, money, signOf, typed} from './money.js';
import {pinIn, scanInto} from './scan.js';
import {find, keep} from './shelf.js';
import {mapLink} from './way.js';
import {here} from './whereabouts.js';
import {t} from './words.js';

/** What was said before of a step that the server has refused. */
async function said(refused) {
  const kept = await Promise.all((refused?.pictures ?? []).map(async ({field, name}) => ({field, blob: (await find(name))?.blob})));
  const blobs = (field) => kept.filter((one) => one.field === field && one.blob).map(({blob}) => blob);
  return {...refused?.body, photos: blobs('photo_ids'), signature: blobs('signature_id')[0]};
}

/** Keeps pictures for a step; gives what the step says of them. */
async function shelved(blobs, signed) {
  const names = (field, given) => Promise.all(given.map(async (blob) => ({field, name: await keep(blob)})));
  return [...await names('photo_ids', blobs), ...await names('signature_id', signed ? [signed] : [])];
}

/** Where it happens, as far as the phone says so. */
function atPlace() {
  const at = here();
  return at ? {at_location: at} : {};
}

/** The fields of handing over, how to read them as a step's body and pictures, and what its button says that says more than the step. */
export async function delivering({proof = {}, cash}, refused) {
  const before = await said(refused);
  const pictures = photos(proof.photo, before.photos);
  const pad = proof.signature ? signature(before.signature) : null;
  const note = {name: 'note', label: t('note'), value: before.note, rows: 1, hint: t('noteHint')};
  // Mostly there is nothing to count: what is to be collected is what was.
  const other = cash && before.cash_collected?.amount !== cash.amount ? before.cash_collected : undefined;
  const fields = [
    proof.pin && {name: 'pin', label: t('pinOfRecipient'), value: before.pin, required: true, inputmode: 'numeric', longest: 4, hint: t('pinOfRecipientHint')},
    proof.pin && scanInto('pin', t('scanPin'), pinIn),
    cash && h('p', {class: 'collect'}, t('collect', {amount: money(cash)})),
    cash && {fold: t('anotherAmount'), isOpen: other, fields: [{name: 'cash_collected', label: `${t('cashCollected')} (${signOf(cash.currency)})`,
      value: typed(other), inputmode: 'decimal', longest: 12}]},
    ...proof.photo ? [pictures.element] : [], pad?.element,
    {fold: t('handingMore'), isOpen: before.received_by || before.note || (!proof.photo && before.photos.length > 0), fields: [
      {name: 'received_by', label: t('receivedByWhom'), value: before.received_by}, note, ...proof.photo ? [] : [pictures.element]]},
  ].filter(Boolean);

  async function read(values) {
    const signed = await pad?.blob();
    const collected = cash && values.cash_collected ? amountIn(values.cash_collected, cash.currency) : cash;
    const isOther = collected && collected.amount !== cash.amount && !values.note;
    refuse([
      proof.pin && !/^\d{4}$/.test(values.pin ?? '') && ['pin', 'fourDigits'],
      proof.photo && !pictures.blobs().length && ['photo_ids', 'isNeeded'], pad && !signed && ['signature_id', 'isNeeded'],
      cash && !Number.isInteger(collected?.amount) && ['cash_collected', 'cashNeeded'], isOther && ['note', 'otherAmount'],
    ]);
    const body = {...values, ...cash && {cash_collected: collected}, ...atPlace()};
    return {body, pictures: await shelved(pictures.blobs(), signed)};
  }

  return {fields, read, verb: cash && t('collectedAnd', {amount: money(cash)})};
}

/** The fields of why it could not be handed over. */
export async function failing(_, refused) {
  const before = await said(refused);
  const [pictures, why] = [photos(false, before.photos), reasons(failReasons, failureOf, before.reason)];
  const fields = [
    why.element, {name: 'note', label: t('note'), value: before.note, rows: 1}, pictures.element,
  ];

  async function read(values) {
    return {body: {...values, reason: why.chosen(), ...atPlace()}, pictures: await shelved(pictures.blobs())};
  }

  return {fields, read};
}

/** The fields of giving back: what costs reputation says so, and is for a reason that somebody has chosen; why nobody took it is said already. */
export async function givingBack({cancel_is_free: isFree, picked_up_at: fetched, store, pickup}, refused) {
  const {reason, note} = refused?.body ?? {};
  const why = reasons(returnReasons, reasonOf, reason);
  const home = pickup?.address ? pickup : store;
  const fields = [h('p', {}, t(!isFree ? 'giveBackWarning' : fetched ? 'giveBackFailed' : 'giveBackFree')), fetched && home.address && h('p', {}, t('bringBack'), ' ', mapLink(home)), ...isFree ? [] : [why.element], {name: 'note', label: t('note'), value: note, rows: 1}].filter(Boolean);
  return {fields, read: (values) => ({body: {...values, reason: isFree ? 'other' : why.chosen()}})};
}

/** All of them at a glance: one touch says why. */
function reasons(names, wordOf, before) {
  const id = newID();
  const wrong = h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true});
  const chip = (reason) => h('label', {class: 'chip'}, h('input', {type: 'radio', name: id, class: 'unseen', value: reason, checked: reason === before}), wordOf(reason));
  const element = h('fieldset', {id, name: 'reason', onchange: () => { wrong.hidden = true; }}, h('legend', {}, t('reason'), ' ', h('span', {class: 'hint'}, t('reasonHint'))),
    h('div', {class: 'chips'}, names.map(chip)), wrong);

  function chosen() {
    const reason = element.querySelector(':checked')?.value;
    refuse([!reason && ['reason', 'sayWhy']]);
    return reason;
  }

  return {element, chosen};
}

function refuse(found) {
  const errors = found.filter(Boolean).map(([field, why]) => ({field, detail: t(why)}));
  if (errors.length) throw new Refusal(422, {errors});
}
