// A map of what is under way, beside the lists: for a store its open deliveries and couriers, for a courier its stops in order, what is
// offered to it and itself. The lists have all of it, too; here it is seen at a glance.
import {all, get, Unreachable} from './ask.js';
import {minuteOf} from './arriving.js';
import {details} from './details.js';
import {remembered} from './account.js';
import {fullName, isListed, isSeen, jobsKept} from './delivery.js';
import {h, keep, redraw, say, unpressed, wordsOf} from './dom.js';
import {edit} from './editor.js';
import {nothing} from './empty.js';
import {gathered} from './feed.js';
import {loaded} from './later.js';
import {carriedStatuses, openStatuses} from './lifecycle.js';
import {money} from './money.js';
import {fetchedFrom, isToFetch, learnPlaces} from './nearness.js';
import {ahead} from './outgoing.js';
import {due, inTime, tick} from './due.js';
import {createdWords, needOf, tellHeard} from './offering.js';
import {asChosen, goBy, handle, movable} from './route.js';
import {streetOf} from './way.js';
import {span, t} from './words.js';

/** `row(delivery, act, {isOpen})` is how one is shown in the list of a store's. Beside a list of their own, offers have no letters. */
export function mapOf(kind, row, isBeside) {
  return (region) => {
    const deliveries = new Map();
    const place = h('div', {class: 'map', tabindex: '0'});
    const list = h('ol', {class: row ? 'stops cards' : 'stops', 'aria-label': t('mapOf')});
    const empty = h('div', {class: 'panel', hidden: true});
    const better = h('button', {type: 'button', hidden: true, onclick: () => suggest(go)}, t('routeSuggest'));
    const beside = h('p', {class: 'hint', hidden: true});
    const offered = h('ul', {class: 'stops', 'aria-label': t('offers')});
    const mapped = h('div', {class: 'mapped'}, place, h('div', {}, list, beside, kind === 'courier' && [h('p', {class: 'actions'}, better), offered]));
    const isHeld = kind === 'courier' ? movable(list, go) : () => false;
    let maps, map, open, isLeft = false;

    // A courier's as it goes, a store's as its board has them.
    const inOrder = kind === 'courier' ? asChosen : inTime;
    const isPlaced = ({recipient}) => recipient?.location;
    /** Where somebody goes: to whom an offer goes is no stop yet. */
    const isStop = ({status}) => kind === 'store' || carriedStatuses.includes(status);
    const stopsNow = () => [...deliveries.values()].filter(isStop);
    const inTurn = () => stopsNow().sort(inOrder);
    const placed = () => inTurn().filter(isPlaced);
    /** What is offered, each with the letter by which it is found on the map. */
    const offers = () => [...deliveries.values()].filter((one) => !isStop(one) && isPlaced(one)).sort(inTime)
      .map((one, at) => ({...one, letter: String.fromCodePoint(97 + at % 26)}));
    const home = kind === 'store' ? remembered() : {};

    function look(delivery) {
      if (kind === 'courier') {
        location.hash = `#delivery=${delivery.id}`;
        return;
      }
      open?.close();
      const mine = details(delivery, {changed, created: changed, closed() {
        if (open === mine) open = undefined;
        draw();
      }});
      open = mine;
      draw();
    }

    /** When it arrives changes while its courier moves, without a word of the delivery. */
    const lookAgain = gathered(() => { if (open) get(`/v1/deliveries/${open.id}`).then(put, () => {}); }, 5000);

    /** Goes in this order; what is not in it comes last, as it stands. */
    function go(ids) {
      const all = [...deliveries.values()].filter(({status}) => status === 'in_progress').sort(inOrder).map(({id}) => id);
      return goBy([...ids, ...all.filter((id) => !ids.includes(id))], (id) => deliveries.get(id), put);
    }

    /** Where a courier still fetches something, or would, each place once, with the first that it fetches there. */
    function pickups(asked) {
      const found = new Map();
      for (const job of [...stopsNow().map(ahead).filter(isToFetch).sort(inOrder), ...asked]) {
        const at = fetchedFrom(job);
        const id = at && `from ${at.lat} ${at.lon}`;
        if (at && !found.has(id)) found.set(id, {id, job, at, style: 'home', text: '⌂', label: t('fromStore', {name: job.store.name})});
      }
      return [...found.values()];
    }

    /** Where a courier goes: its own stops, each after where it is fetched, or to one delivery over what it brings before. */
    const wayToDraw = (shown, from) => (kind === 'courier'
      ? [map.couriers.get('me'), ...shown.flatMap((one) => [from.find(({job}) => job.id === one.id)?.at, one.recipient.location])].filter(Boolean)
      : maps.wayTo(deliveries.get(open?.id), shown, map.couriers));
    /** Its place among all that is carried, as the list of jobs has it. */
    const numberOf = (delivery) => String(inTurn().indexOf(delivery) + 1);

    function stop(delivery) {
      const act = () => look(deliveries.get(delivery.id));
      if (kind === 'store') return maps.stopOf(delivery, act);
      const text = numberOf(delivery);
      return {id: delivery.id, at: delivery.recipient.location, style: `${delivery.status} own`, text, label: t('mapStop', {number: text, name: fullName(delivery.recipient)}), act};
    }

    function draw() {
      open?.show(deliveries.get(open.id));
      if (!map) return;
      const shown = placed();
      const asked = offers();
      const from = pickups(asked);
      const stops = [...from, ...shown.map(stop), ...asked.map((one) => ({...maps.stopOf(one, () => look(one), false), ...!isBeside && {text: one.letter}}))];
      map.draw([...maps.homeOf(home), ...stops]);
      tellOfNothing(!stops.length && !map.couriers.size);
      map.lead(wayToDraw(shown, from));
      map.fit(stops);
      const others = stopsNow().length - shown.length;
      beside.hidden = !others || kind === 'courier';
      beside.textContent = t('mapOthers', {count: others});
      better.hidden = kind !== 'courier' || shown.length < 2;
      // What somebody holds stays in its hand.
      if (!isHeld()) unpressed(list, () => redraw(() => keep(list, kind === 'courier' ? inTurn() : shown, stateOf, entry)));
      if (kind === 'courier') unpressed(offered, () => redraw(() => keep(offered, asked, ({version, letter}) => `${version} ${letter}`, offer)));
      tick(mapped);
    }

    /** An empty map tells nothing: in its place stands what will be seen here, and where to begin. */
    function tellOfNothing(isNothing) {
      if (isNothing) redrawEmpty(...stopsNow().length ? ['mapWithoutPlace', `mapWithoutPlace_${kind}`] : ['mapNothing', `mapNothing_${kind}`]);
      empty.hidden = !isNothing;
      mapped.hidden = isNothing;
    }

    function redrawEmpty(name, hint) {
      if (empty.dataset.says === name) return;
      empty.dataset.says = name;
      const [verb, act] = kind === 'courier' ? ['jobs', () => { location.hash = '#/jobs'; }]
        : stopsNow().length ? ['board', () => { location.hash = '#/board'; }] : ['newDelivery', () => edit(null, created)];
      empty.replaceChildren(nothing('div', t(name), t(hint), t(verb), act));
    }

    /** What was done here says whether somebody hears of it. */
    function changed(delivery) {
      tellHeard(delivery);
      put(delivery);
    }

    function created(delivery) {
      changed(delivery);
      say(createdWords(delivery));
    }

    const stateOf = (one) => `${one.version} ${needOf(one)} ${kind === 'store' ? minuteOf(one) : numberOf(one)} ${open?.id === one.id}`;

    const entry = (delivery) => (row ? row(delivery, () => look(deliveries.get(delivery.id)), {isOpen: open?.id === delivery.id}) : next(delivery));

    const next = (delivery) => h('li', {}, h('button', {type: 'button', class: `card ${delivery.status}`, onclick: () => look(delivery)},
      h('strong', {'data-stop': `${numberOf(delivery)}. `}, fullName(delivery.recipient)),
      h('span', {class: 'hint'}, delivery.due_at ? due(delivery) : t('due_now')), h('span', {class: 'street'}, streetOf(delivery.recipient.address, delivery.store.address)),
      !isPlaced(delivery) && h('span', {class: 'hint'}, t('notOnMap')), isToFetch(ahead(delivery)) && h('span', {class: 'hint'}, `⌂ ${t('fromStore', {name: delivery.store.name})}`)),
    handle(fullName(delivery.recipient)));

    const offer = (delivery) => h('li', {}, h('button', {type: 'button', class: 'card pending', onclick: () => look(delivery)},
      h('strong', {}, h('span', {class: 'letter', 'aria-hidden': 'true'}, delivery.letter), fullName(delivery.recipient)), h('span', {class: 'hint'}, delivery.due_at ? due(delivery) : t('due_now')),
      h('span', {class: 'street'}, [streetOf(delivery.recipient.address, delivery.store.address), delivery.pay && money(delivery.pay)].filter(Boolean).join(' · '))));

    function put(delivery) {
      const isOpen = openStatuses.includes(delivery.status) && (kind === 'store' ? isSeen : isListed)(delivery);
      if (isOpen) deliveries.set(delivery.id, delivery); else deliveries.delete(delivery.id);
      if (open?.id === delivery.id) open.show(delivery);
      draw();
    }

    async function load() {
      // A courier without a connection has what its jobs are known to be.
      const lists = await Promise.all(openStatuses.map((status) => all('/v1/deliveries', {status}))).catch((error) => {
        const kept = kind === 'courier' && error instanceof Unreachable && JSON.parse(localStorage.getItem(jobsKept) ?? 'null');
        if (kept) return [kept.items.filter(({status}) => openStatuses.includes(status))];
        throw error;
      });
      deliveries.clear();
      for (const delivery of lists.flat().filter(kind === 'store' ? isSeen : isListed)) deliveries.set(delivery.id, delivery);
      return lists;
    }

    async function begin() {
      [maps] = await Promise.all([loaded('livemap'), load(), kind === 'courier' && learnPlaces()]);
      map = await maps.liveMap(place, kind, {moved(id) {
        if (id && open && deliveries.get(open.id)?.courier?.id === id) lookAgain();
        draw();
      }});
      if (isLeft) map.leave(); else draw();
    }

    // What becomes late does so without anything that happens.
    const clock = setInterval(draw, 30_000);
    region.append(empty, mapped);
    begin().catch((error) => say(wordsOf(error)));
    return {
      leave() {
        isLeft = true;
        clearInterval(clock);
        map?.leave();
        map = undefined;
      },
      onFresh: () => load().then(draw),
      hears: ['delivery', 'partner'],
      onEvent({delivery}) { if (delivery) put(delivery); },
    };
  };
}

/** Has the order that is least late and ends soonest, unless it is no better; `take` gets it. */
async function suggest(take) {
  try {
    const {delivery_ids: ids, saves_seconds: saved, less_late_seconds: sooner} = await get('/v1/me/route/suggestion');
    if (saved < 60 && sooner < 60) return say(t('routeBest'));
    take(ids);
    return say(sooner < 60 ? t('routeSaves', {time: span(saved)}) : t('routeLessLate', {time: span(sooner)}));
  } catch (error) {
    return say(wordsOf(error));
  }
}
