// The board: the day as rows by the time they are wanted, which move as the deliveries do; what is over is folded below.
import {remembered} from './account.js';
import {minuteOf} from './arriving.js';
import {get} from './ask.js';
import {mapBeside} from './boardmap.js';
import {isUnplaced, row} from './boardrow.js';
import {fullName, isSeen, signs} from './delivery.js';
import {h, keep, newID, redraw, say, unpressed, wordsOf} from './dom.js';
import {inTime, isFailed, isLate, isOld, isSlow, offeredAt, since, soonest, tick, willBeLate} from './due.js';
import {gathered} from './feed.js';
import {filters} from './filters.js';
import {guide} from './guide.js';
import {learnKeepers} from './keeper.js';
import {keys} from './keys.js';
import {loaded, soon} from './later.js';
import {longestSearch, openStatuses} from './lifecycle.js';
import {lists} from './lists.js';
import {isMeant} from './meant.js';
import {createdWords, isElsewhere, isGivenBack, isHeld, isStranded, isUnaccepted, isUnheard, isUrgent, needOf, patience, tellHeard} from './offering.js';
import {noticed} from './push.js';
import {dayOf, localDay, t, timeOf} from './words.js';

soon('details');
soon('editor');
soon('talkbeside');
/** What needs a hand, most of all first. */
const needs = {late: isLate, failed: isFailed, stranded: isStranded, givenBack: isGivenBack, unheard: isUnheard, unaccepted: isUnaccepted, slow: isSlow, elsewhere: isElsewhere, behind: willBeLate};
export const hand = {statuses: openStatuses, needs: isUrgent};
const groups = [
  {name: 'open', statuses: openStatuses, order: inTime, heads: ['due', 'stateHead']},
  {name: 'delivered', statuses: ['delivered'], isFolded: true, isFirst: true, heads: ['status_delivered', 'onTime']},
  {name: 'cancelled', statuses: ['cancelled'], isFolded: true, heads: ['status_cancelled']},
];

// What it had when it was last left, and for whom: shown until it is loaded anew, which takes a connection.
let left = {};

export function board(region, {count}) {
  let words = '', wanted = '', open, looks = 0, isLeft = false, tellFoot = () => {}, tellCrew = () => {};
  const seen = filters(needs, (isLongAgo) => {
    // Who asks for what is over wants to see it.
    if (wanted !== seen.state) columns.unfold(wanted = seen.state);
    if (isLongAgo) columns.reload(); else columns.draw();
  });
  const columns = lists(groups, {
    card: (one) => row(one, () => look(one.id), {words}), query: () => ({q: words}), isSought: (name) => name === 'cancelled' && seen.need === 'elsewhere', empty: (name) => (words ? t(isAnswered((part) => part.name === name) ? 'nothingFoundFor' : 'loading', {words}) : t(`none_${(name === 'open' && seen.state) || name}`)), shows: isShown,
    widen,
    mark: (one) => `${needOf(one)} ${isUnplaced(one)} ${minuteOf(one)} ${words}`, reaches: ({name}, items) => (name === 'open' ? !words : seen.isBehind(items, !words && name === 'delivered')), drawn,
  });
  /** Where nothing is to be seen because of what was chosen, or is searched for. */
  function widen(left) {
    if (words) return {verb: t('clearSearch'), act: unsearch};
    return left ? {text: t('noneChosen'), verb: t('showAll'), act: seen.clear} : undefined;
  }
  const searched = gathered(() => {
    words = search.value.trim();
    columns.reload().then(() => columns.draw());
  }, 250);

  function isShown(one) { return seen.shows(one) && (isAnswered(({statuses}) => statuses.includes(one.status)) || isMeant(one, words)); }

  /** Whether what is here is all there is, and not what is or was just searched for. */
  const isAll = () => !words && columns.parts.every(({answered}) => !answered);

  /** Whether the server has looked through a list for what is searched for; until then, what is here of it is looked through. */
  const isAnswered = (fits) => !words || columns.parts.find(fits).answered === words;

  function seek() {
    const text = search.value.trim();
    // What is left of a search is not all there is.
    if (text) {
      words = text;
      columns.draw();
    }
    searched();
  }

  /** Opens what a module has in it, unless something else was wanted meanwhile, or the board left. */
  async function opened(name, show) {
    const turn = ++looks;
    const module = await loaded(name).catch((error) => { say(wordsOf(error)); });
    if (module && !isLeft && turn === looks) show(module);
  }

  function look(id) {
    open?.close();
    const before = columns.get(id);
    return opened('details', ({details}) => {
      const mine = details(columns.get(id) ?? before, {changed, created, closed: () => {
        if (open === mine) open = undefined;
        mark();
        drawMap();
      }});
      open = mine;
      mark();
      drawMap();
      // It may stand elsewhere now that there is something beside it.
      region.querySelector('li > [aria-current]')?.scrollIntoView({block: 'nearest'});
    });
  }
  const drawMap = () => map.draw(columns.of(...openStatuses).filter(isShown), open?.id, seen.courier);

  /** The row that is shown beside. */
  function mark() {
    for (const row of region.querySelectorAll('li > .card')) {
      if (row.parentElement.dataset.key === open?.id) row.setAttribute('aria-current', 'true'); else row.removeAttribute('aria-current');
    }
  }

  /** That all is well, or for how long somebody has waited already. */
  function calm() {
    const longest = columns.of('pending').filter((one) => !isHeld(one)).sort((one, other) => offeredAt(one).localeCompare(offeredAt(other)))[0];
    return longest && isOld(longest, patience() / 4) ? h('span', {}, `${signs.pending} `, t('longestWait'), ' ', since(offeredAt(longest))) : h('span', {}, `✓ ${t('allWell')}`);
  }

  function drawn() {
    const all = groups.flatMap(({statuses}) => columns.of(...statuses));
    const isLoaded = columns.parts.every((part) => part.isLoaded);
    const found = Object.entries(needs).map(([id, applies]) => ({id, count: all.filter(applies).length, isOn: id === seen.need, minutes: id === 'slow' ? soonest : patience()}))
      .filter(({count}) => count);
    // When the last of what was asked for is settled, all the others are to be seen again.
    if (seen.need && isLoaded && isAll() && !found.some(({isOn}) => isOn)) return seen.turn(seen.need);
    // What is searched for is not all of it: until then they say what there was.
    if (isAll()) {
      unpressed(chips, () => redraw(() => {
        if (found.length) keep(chips, found, JSON.stringify, chip); else chips.replaceChildren(isLoaded ? calm() : '');
      }));
      chips.classList.toggle('calm', !found.length);
    }
    // Among what is asked for, a list without any says so only if all have none.
    const has = ({statuses}) => columns.of(...statuses).some(seen.shows);
    const isAsked = Boolean(words || seen.need);
    const isFound = isAsked && columns.parts.some(has);
    for (const part of columns.parts) part.section.hidden = !seen.allows(part.statuses) || (isAsked && part.isLoaded && (part.fold || isFound) && !has(part));
    region.classList.toggle('searching', Boolean(words));
    // What is searched for is not all of it.
    if (isAll()) count(all.filter(hand.needs).length);
    if (isLoaded && isAll()) first.draw({all: all.length, delivered: columns.of('delivered').length});
    // As long as nothing is known, too: nobody is asked for anything then.
    region.classList.toggle('bare', !words && !all.length);
    open?.show(columns.get(open.id));
    // What a row says of its time is as new as what is counted above it.
    tick(document.body);
    mark();
    drawMap();
    told();
    learnKeepers(all, columns.draw);
    tellFoot(columns.of('delivered', 'cancelled').length);
    if (isAll()) tellCrew(crew, seen, columns.of('in_progress'));
    region.classList.toggle('sifted', seen.isOn);
  }

  /** On paper it says whose it is, and of when. */
  function sign() { region.previousElementSibling.dataset.printed = [remembered().name, `${dayOf(localDay(Date.now()))} ${timeOf(Date.now())}`].join(' · '); }

  function told() { noticed('board', ({delivery_id: id}) => Boolean(columns.get(id))); }

  /** What was done here says whether somebody hears of it. */
  function changed(delivery) {
    tellHeard(delivery);
    columns.put(delivery);
  }

  function created(delivery) {
    changed(delivery);
    // Who makes one wants to see it, whatever was looked at before.
    if (!seen.shows(delivery)) seen.clear();
    const isLost = isUnplaced(delivery);
    say([`${fullName(delivery.recipient)}:`, createdWords(delivery), isLost && t('createdUnplaced')].filter(Boolean).join(' '), isLost ? {verb: t('mapPick'), act: () => change(delivery.id)} : {verb: t('show'), act: () => look(delivery.id)});
    // Where it stands among the others.
    const row = region.querySelector(`[data-key='${delivery.id}'] > .card`);
    row?.scrollIntoView({block: 'nearest'});
    row?.classList.add('taken');
    row?.focus({preventScroll: true});
  }

  function chip({id, count, isOn, minutes}) {
    const text = t(`need_${id}`, {count, minutes});
    // The sign of one that is pressed says how to put it away, and nothing moves.
    return h('button', {type: 'button', class: 'chip', 'aria-pressed': String(isOn), 'aria-label': text, onclick: () => needed(id)}, isOn ? text.replace(/^\S+/, '×') : text);
  }

  /** Shows all of that kind, not only what was searched for. */
  function needed(id) {
    if (words) unsearch();
    seen.turn(id);
  }
  /** Whom it is offered to is told with the one delivery only. */
  const change = (id) => get(`/v1/deliveries/${id}`).then((one) => opened('editor', ({edit}) => edit(one, changed)), (error) => say(wordsOf(error)));
  const create = () => opened('editor', ({edit}) => edit(null, created));
  const first = guide(create);
  const map = mapBeside(region, {look, redraw: drawMap});
  const sky = h('ul', {class: 'warnings', 'aria-label': t('weatherWarnings'), hidden: true});
  const watch = loaded('warnings').then(({warnings}) => warnings(sky), () => () => {});
  const foot = h('p', {class: 'hint foot', hidden: true});
  const crew = h('p', {class: 'hint crew', hidden: true});
  loaded('crew').then(({crewOf}) => {
    tellCrew = crewOf;
    columns.draw();
  }, () => {});
  loaded('foot').then(({footOf}) => { tellFoot = footOf(foot); }, () => {});
  const chips = h('p', {class: 'hand calm', role: 'group', 'aria-label': t('needsHand')});
  const search = h('input', {type: 'search', id: newID(), maxlength: longestSearch, oninput: seek, onkeydown: goOn, placeholder: t('search')});
  const sections = (areOver) => columns.parts.filter(({fold}) => Boolean(fold) === areOver).map(({section}) => section);
  const letter = (key) => keys.areOn() && h('kbd', {'aria-hidden': 'true'}, key);
  region.append(
    h('div', {class: 'tools'}, h('button', {type: 'button', class: 'main', onclick: create}, t('newDelivery'), letter('N')),
      h('div', {class: 'field seek'}, h('label', {for: search.id, class: 'unseen'}, t('search')), search, letter('/')),
      ...seen.parts, map.button, h('button', {type: 'button', class: 'quiet', onclick: () => print()}, t('print'))),
    sky, first.region, columns.problem, h('div', {class: 'columns'}, h('div', {}, chips, sections(false), crew), h('div', {class: 'ended'}, foot, sections(true)), map.place));
  for (const [at, {list}] of columns.parts.entries()) {
    const [first, last] = groups[at].heads;
    list.before(h('p', {class: 'heads', 'aria-hidden': 'true'}, [first, 'recipientHead', 'address', 'description', 'courierHead', last].map((head) => h('span', {}, head && t(head)))));
  }
  if (left.account === remembered()?.id) columns.fill(left.items);
  columns.reload();
  // What nobody has accepted for long is so, and late, without anything that happens; and when something arrives changes as its courier moves.
  const clock = setInterval(() => {
    columns.draw();
    if (!words && !document.hidden && columns.of('in_progress').length) columns.renew('in_progress');
  }, 30_000);
  document.addEventListener('visibilitychange', told);
  window.addEventListener('beforeprint', sign);
  const unlisten = keys.listen({
    n: create, '/': () => search.focus(), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  });

  const rowsNow = () => Array.from(region.querySelectorAll('li > .card')).filter((row) => row.checkVisibility());

  /** From the search on to what was found, or back to all there is. */
  function goOn(event) {
    const {key, target} = event;
    if (!['ArrowDown', 'Enter', 'Escape'].includes(key)) return;
    event.preventDefault();
    if (key === 'Escape') {
      if (!target.value) return target.blur();
      return unsearch();
    }
    return rowsNow()[0]?.focus();
  }

  function unsearch() {
    search.value = '';
    seek();
  }

  function step(by) {
    const rows = rowsNow();
    // What is open beside goes on to the next one, too.
    const shown = open && rows.find((row) => row.getAttribute('aria-current'));
    const at = rows.indexOf(shown ?? document.activeElement);
    const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
    if (shown && next !== shown) next.click(); else next?.focus();
  }

  return {
    leave() {
      isLeft = true;
      if (isAll() && columns.parts.every((part) => part.isLoaded)) left = {account: remembered()?.id, items: columns.of(...groups.flatMap(({statuses}) => statuses))};
      clearInterval(clock);
      document.removeEventListener('visibilitychange', told);
      window.removeEventListener('beforeprint', sign);
      watch.then((end) => end());
      map.leave();
      unlisten();
    },
    onFresh() {
      first.load();
      seen.load();
      return columns.reload();
    },
    /** One that a notification tells of, as it is now. */
    async look(id) {
      try {
        columns.put(await get(`/v1/deliveries/${id}`));
        look(id);
      } catch (error) {
        say(wordsOf(error));
      }
    },
    hears: ['delivery', 'partner'],
    onEvent({type, delivery}) {
      if (type.startsWith('partner')) {
        first.load();
        seen.load();
        dispatchEvent(new Event('partners'));
      }
      if (!isSeen(delivery)) return;
      // Whether it is among what is searched for, the server knows.
      if (!words || columns.get(delivery.id)) columns.put(delivery);
      if (words) searched();
    },
  };
}
