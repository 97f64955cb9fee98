// Choosing couriers: who is on duty, what each carries, how far each is, and what came of those who were asked already.
import {remembered} from './account.js';
import {all, ask, get, keeper, lasting, post} from './ask.js';
import {fullName, onDuty, reliability, shareOf, signs, whose} from './delivery.js';
import {h, loading, newID, openBeside, say} from './dom.js';
import {distance, meters} from './distance.js';
import {due} from './due.js';
import {form} from './form.js';
import {inviteByNumber} from './invites.js';
import {tellChosen} from './offering.js';
import {t} from './words.js';

// How many are seen at first, where there are more.
const few = 4;

// How to load the couriers of each open form anew.
const pickers = new Set();

// There are other partners than before: open forms have them to choose from, and keep what was typed.
addEventListener('partners', () => { for (const load of pickers) load(); });

/** The couriers of a store: on duty first, then who carries least, then who is nearest. What they carry and where they are helps, and is no condition. */
async function partners() {
  const [couriers, loadFor, seen] = await Promise.all([lasting('partners', () => all('/v1/partners')), loads(), all('/v1/positions').catch(() => [])]);
  const places = new Map(seen.map(({courier_id: id, position}) => [id, position]));
  const home = remembered()?.location;
  const far = ({place}) => (place && home ? meters(place, home) : 1e9);
  return couriers.map((courier) => ({...courier, load: loadFor(courier), place: places.get(courier.id)})).sort((one, other) =>
    (other.on_duty ?? true) - (one.on_duty ?? true) || (one.load ?? 0) - (other.load ?? 0) || far(one) - far(other) || shareOf(other.stats) - shareOf(one.stats));
}

/** Gives what says how many deliveries of the store a courier carries; nothing where that cannot be known, or there are too many to count. */
export async function loads() {
  const {items, next_cursor: more} = await get('/v1/deliveries', {status: 'in_progress', limit: 200}).catch(() => ({}));
  const carried = items && !more && Map.groupBy(items, ({courier}) => courier?.id);
  return ({id}) => (carried ? carried.get(id)?.length ?? 0 : undefined);
}

const loadWords = (load) => (load ? t('carries', {count: load}) : t('carriesNothing'));

export const loadOf = ({load}) => load !== undefined && h('span', {class: load ? 'hint load' : 'hint load free'}, loadWords(load));

/** The same where there is little room. */
function briefLoad({load}) {
  const words = loadWords(load);
  return h('span', {class: 'hint load', title: words}, h('span', {class: 'unseen'}, words), h('span', {'aria-hidden': 'true'}, `${signs.in_progress} ${load}`));
}

/** How far a courier is from where it is fetched, as far as both are known. */
function way({place: from}, pickup) {
  const to = pickup?.address ? pickup.location : remembered()?.location;
  if (!to || !from) return undefined;
  const metres = meters(from, to);
  if (metres < 50) return h('span', {class: 'hint'}, t(pickup?.address ? 'atPickup' : 'atYours'));
  const far = distance(metres);
  // Which of the two it is, one sees by where it is fetched.
  return h('span', {class: 'hint'}, h('span', {class: 'unseen'}, t(pickup?.address ? 'farFromPickup' : 'farFromYou', {distance: far})), h('span', {'aria-hidden': 'true'}, far));
}

/**
 * Chooses candidates among the partners, as `chosen` has them; `states` are what came of those who were asked already, `pickup` is
 * where it is fetched, if not at the store's, and `none` what it means to choose nobody where there is nobody else. Who `isNew` and has
 * never chosen anybody means those on duty who would be asked first. `counted` is told how many are chosen, and `loaded` is kept once they are known.
 */
export function picker(chosen, states, pickup, {none = '', isNew = false, counted = () => {}} = {}) {
  const list = h('div', {class: 'choices'});
  let others = true, boxes = [], isWhole = false;
  const areMissing = () => boxes.some(([box]) => !box.checked);
  const everybody = h('button', {type: 'button', class: 'quiet everybody', hidden: true, onclick() {
    const are = areMissing();
    for (const [box] of boxes) { box.checked = are; box.dispatchEvent(new Event('change', {bubbles: true})); }
    unfold();
  }});
  const whole = h('button', {type: 'button', class: 'quiet', onclick() {
    const [first] = boxes.filter(([, label]) => label.hidden);
    unfold();
    first[0].focus();
  }});
  /** Who would be asked first is seen at once, with who is chosen already; the others when somebody wants them. */
  function fold() {
    const rest = isWhole ? [] : boxes.filter(([box], at) => at >= few && !box.checked);
    for (const one of boxes) one[1].hidden = rest.length > 1 && rest.includes(one);
    whole.hidden = rest.length < 2;
    whole.textContent = t('moreCouriers', {count: rest.length});
  }

  function unfold() {
    isWhole = true;
    fold();
  }

  const unheard = h('p', {class: 'hint unheard', role: 'status'});
  function word() {
    everybody.textContent = t(areMissing() ? 'everybody' : 'nobody');
    const asked = boxes.filter(([box]) => box.checked);
    counted(asked.length);
    // Who is there only now was not left out.
    if (asked.length) element.querySelector('.wrong').hidden = true;
    unheard.textContent = asked.length && asked.every(([, , {on_duty: isOn}]) => isOn === false) ? `! ${t('nobodyHears')}` : asked.length || others ? '' : none;
  }

  // Whom the last one was offered to stands first, so that nobody is asked unseen.
  const before = new Set(states.size ? [] : chosen);
  // Who has said no already stands behind all others, and before them who is asked already.
  const hasHad = ({id}) => ['declined', 'forfeited', 'carries'].includes(states.get(id));
  const isAsked = ({id}) => states.get(id) === 'offered';
  const load = () => loading(list, partners, (found) => {
    const couriers = found.toSorted((one, other) => hasHad(one) - hasHad(other) || isAsked(one) - isAsked(other) || before.has(other.id) - before.has(one.id));
    const known = new Set(couriers.map(({id}) => id));
    for (const id of chosen) if (!known.has(id)) chosen.delete(id);
    // Where there is one alone, it is meant.
    if (couriers.length === 1 && !states.size) chosen.add(couriers[0].id);
    if (isNew) for (const {id, on_duty: isOn} of couriers.slice(0, few)) if (isOn) chosen.add(id);
    isNew &&= !couriers.length;
    others = couriers.some(({id}) => !['carries', 'forfeited'].includes(states.get(id)));
    boxes = couriers.map((courier) => {
      const toggle = () => {
        if (box.checked) chosen.add(courier.id); else chosen.delete(courier.id);
        word();
      };
      const box = h('input', {type: 'checkbox', checked: chosen.has(courier.id), onchange: toggle});
      const state = states.get(courier.id);
      return [box, h('label', {class: 'choice'}, box, h('span', {class: 'name'}, fullName(courier)), onDuty(courier),
        (courier.load > 0 || (courier.on_duty && courier.load === 0)) && briefLoad(courier), state === 'offered' ? h('span', {class: 'hint'}, `◔ ${t('candidate_offered')}`) : state ? h('strong', {}, t(`candidate_${state}`)) : way(courier, pickup), reliability(courier.stats, true)), courier];
    });
    word();
    everybody.hidden = boxes.length < 2;
    fold();
    list.replaceChildren(...(boxes.length
      ? [...boxes.map(([, label]) => label), whole]
      : [h('p', {}, t('noPartnersToChoose')), h('button', {type: 'button', class: 'main', onclick: () => inviteByNumber()}, t('inviteSomebody'))]));
  });
  const loaded = load();
  const id = newID();
  const element = h('fieldset', {id, name: 'courier_ids'}, h('legend', {}, t('candidates')), h('div', {class: 'asked'}, h('p', {class: 'hint'}, t('candidatesHint')), everybody),
    h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true}), list, unheard);
  return {element, load, loaded, hasOthers: () => others};
}

/** Has a dialog's couriers loaded anew as long as it is open. */
export function keepLoaded(dialog, {load}) {
  pickers.add(load);
  dialog.addEventListener('close', () => pickers.delete(load));
}

/** What came of those who were asked, by courier. */
export const statesOf = ({candidates}) => new Map(candidates.map(({courier_id: id, state}) => [id, state]));

/** Whether it is offered to that one, or will be in turn. */
export const mayTake = ({state}) => ['offered', 'waiting'].includes(state);

const areAsked = ({candidates}) => candidates.filter(mayTake).map(({courier_id: id}) => id);

/** Offers what nobody has accepted to others, or to the same once more. */
export function chooseOthers(delivery, done) {
  const chosen = new Set();
  return open(delivery, 'chooseOthers', 'offerIt', chosen, picker(chosen, statesOf(delivery), delivery.pickup), [], () =>
    ask('PATCH', `/v1/deliveries/${delivery.id}`, {courier_ids: Array.from(chosen), offer_again: true}, {version: delivery.version}), done);
}

/** Offers to more couriers what others are asked for already. */
export function offerMore(delivery, done) {
  const chosen = new Set(areAsked(delivery));
  return open(delivery, 'offerMore', 'offerIt', chosen, picker(chosen, statesOf(delivery), delivery.pickup), [], () =>
    ask('PATCH', `/v1/deliveries/${delivery.id}`, {courier_ids: Array.from(chosen)}, {version: delivery.version}), done);
}

/** Takes a delivery back from its courier and offers it to others. */
export function takeBack(delivery, done) {
  const {courier} = delivery;
  // Who is chosen is asked again, also after declining.
  const chosen = new Set(areAsked(delivery).filter((id) => id !== courier.id));
  const states = statesOf(delivery);
  states.set(courier.id, 'carries');
  const [key, couriers] = [keeper(), picker(chosen, states, delivery.pickup, {none: t('nobodyChosen')})];
  const fields = [h('p', {}, t('reassignWarning', {name: fullName(courier)})), {name: 'note', label: t('note'), rows: 1}];
  return open(delivery, 'do_reassign', 'do_reassign', chosen, couriers, fields, ({note}) => {
    // Where there is nobody else it is taken back all the same; where there is, leaving all out offers it to nobody unasked.
    const body = {courier_ids: chosen.size || couriers.hasOthers() ? Array.from(chosen) : undefined, note};
    return post(`/v1/deliveries/${delivery.id}/reassign`, body, {key: key(body)});
  }, done);
}

function open(delivery, title, verb, chosen, couriers, fields, send, done) {
  const about = h('p', {class: 'hint'}, whose(delivery), delivery.due_at && [h('br'), t('due'), ' ', ...due(delivery)]);
  const dialog = openBeside(t(title), form([about, ...fields, couriers.element], t(verb), async (values) => {
    const made = await send(values);
    tellChosen(made);
    dialog.close();
    done(made);
    say(t(made.offered_count ? 'offered' : 'stranded'));
  }, {cancel: () => dialog.close()}));
  dialog.classList.add('wide', 'editor', 'choosing');
  keepLoaded(dialog, couriers);
  return dialog;
}
