// Deliveries in lists by their state, as both pages have them: loaded page by page, and moved by what the feed tells.
import {all, get, Unreachable} from './ask.js';
import {badge} from './delivery.js';
import {h, keep, newID, redraw, trouble, unpressed, wordsOf} from './dom.js';
import {localDay, t, weekday} from './words.js';

// Which lists somebody has opened.
const place = 'kurir.unfolded';
// How many pages one may look through for what was long ago.
const most = 20;

// The order of the server's lists of what is over: by its end, latest first.
const endOf = (one) => one.delivered_at ?? one.cancelled_at;
const placeOf = (one) => `${endOf(one)} ${one.id}`;
const inOrder = (one, other) => (placeOf(one) < placeOf(other) ? 1 : -1);

/** Whether there is room for one of what is over. */
const hasRoom = () => matchMedia('(min-width: 78rem)').matches;

/** What is in that order, with each day before what ended on it. */
const withDays = (items) => items.flatMap((one, place) => {
  const day = localDay(endOf(one));
  return place && localDay(endOf(items[place - 1])) === day ? [one] : [{id: `day-${day}`, day}, one];
});

const headOf = (day) => (day === localDay(Date.now()) ? t('today') : weekday(day));

/**
 * Lists of deliveries. Each of `groups` is `{name, statuses, order?, isFolded?, isFirst?, titles?}`: deliveries of some statuses in an order, by the
 * day of their end unless it says otherwise; one that `isFolded` is so until somebody opens it or searches, or there is room for it, first for
 * the one that `isFirst`; and its statuses are called what they are unless there are `titles`. `card` makes a delivery's element, and `mark` says what it depends on besides its version and its stop;
 * `empty` is what is said of a list without any, `widen` what one may do about it, `{text, verb, act}`, told how many are left out, `query` narrows what is asked for, `isSought` says which list has what one looks for, `isPart` what is told of at all, `shows` what is shown of that, `reaches` says whether
 * one must look behind those that have come, and `drawn` is told whenever something may have changed.
 */
export function lists(groups, {card, empty, mark = () => '', query = () => ({}), isSought = () => false, widen = () => undefined, isPart = () => true, shows = () => true, reaches = () => false, drawn = () => {}}) {
  const known = new Map();
  // When the feed or an answer last told of a delivery: a list that was asked for before that knows less.
  const told = new Map();
  let clock = 0, reloads = 0;
  // What is searched for at the moment, and whether that is to be done once more.
  let searched, isOutdated = false, reloading;
  let complaint = '';
  const unfolded = new Set(JSON.parse(localStorage.getItem(place)) ?? groups.filter(({isFirst}) => isFirst && hasRoom()).map(({name}) => name));
  const parts = groups.map(part);
  const problem = h('div');

  function part({name, statuses, order = inOrder, isFolded, titles = {}}) {
    const heading = newID();
    const list = h('ul', {class: 'cards', 'aria-labelledby': heading});
    const wider = h('button', {type: 'button', hidden: true});
    const nothing = h('p', {class: 'hint'}, h('span', {}, t('loading')), wider);
    const more = h('button', {type: 'button', hidden: true}, t('more'));
    const amounts = statuses.map(() => h('span', {class: 'amount'}));
    const title = statuses.map((status, at) => h('span', {}, badge(status, titles[status]), amounts[at]));
    const fold = isFolded && h('button', {type: 'button', class: 'fold', onclick: () => turn(name)}, title);
    const content = h('div', {}, list, nothing, more);
    const section = h('section', {class: `column ${name}`}, h('h2', {id: heading}, fold || title), content);
    const made = {name, statuses, order, section, list, nothing, wider, more, amounts, fold, content, pages: 1, cursor: null, isLoaded: false, isFresh: false, load: 0};
    more.addEventListener('click', () => { made.pages += 1; load(made); });
    return made;
  }

  /** Opens it or folds it; the other one gives its room. */
  function turn(name) {
    const wasOpen = unfolded.delete(name);
    unfolded.clear();
    if (!wasOpen) unfolded.add(name);
    localStorage.setItem(place, JSON.stringify([...unfolded]));
    draw();
  }

  /** Has the one of that name open once it is drawn, if there is one that is folded. */
  function unfold(name) {
    if (parts.some((made) => made.fold && made.name === name)) unfolded.add(name);
  }

  /** Loads as many pages as are shown; of loads under way only the last one counts. */
  async function load(made) {
    const mine = ++made.load;
    const begun = ++clock;
    const [items, wanted] = [[], query()];
    let cursor;
    try {
      for (let page = 0; cursor !== null && (page < made.pages || (page < most && reaches(made, items))); page += 1) {
        const answer = await get('/v1/deliveries', {status: made.statuses, limit: 50 * made.statuses.length, cursor, ...wanted});
        if (mine !== made.load) return;
        items.push(...answer.items);
        cursor = answer.next_cursor;
      }
      made.cursor = cursor;
      made.isLoaded = made.isFresh = true;
      made.error = null;
      made.answered = wanted.q;
      merge(made.statuses, items, begun);
    } catch (error) {
      if (mine !== made.load) return;
      made.isFresh = false;
      made.error = error;
    }
    complain();
    draw();
  }

  /** Says what went wrong. What stands there already stays: somebody may just be pressing its button. */
  function complain() {
    const failed = parts.find(({error}) => error);
    const words = failed ? wordsOf(failed.error) : '';
    if (words === complaint) return;
    complaint = words;
    problem.replaceChildren(...(words ? [trouble(words, reload)] : []));
    problem.classList.toggle('unreachable', failed?.error instanceof Unreachable);
  }

  function merge(statuses, items, begun) {
    const isKnownBetter = (id) => (told.get(id) ?? 0) > begun;
    for (const [id, old] of known) if (statuses.includes(old.status) && !isKnownBetter(id)) known.delete(id);
    for (const item of items) {
      if (!isKnownBetter(item.id) && !(known.get(item.id)?.version > item.version)) known.set(item.id, item);
    }
  }

  /** Loads what has this status again, for what changes without a word. If that fails nothing is lost: what stands there is as true as before. */
  async function renew(status) {
    const [made, begun] = [parts.find(({statuses}) => statuses.includes(status)), ++clock];
    const before = made.load;
    const items = await all('/v1/deliveries', {status}).catch(() => null);
    // A list that was asked for since knows better.
    if (!items || before !== made.load) return;
    merge([status], items, begun);
    draw();
  }

  /** A search takes the lists one after the other, since an account may have few searches at once. */
  function reload() {
    const {q} = query();
    if (q && q === searched) isOutdated = true;
    else reloading = reloadFor(q);
    return reloading;
  }

  async function reloadFor(q) {
    const mine = ++reloads;
    searched = q;
    for (const made of parts) made.load += 1;
    do {
      isOutdated = false;
      if (!q) await Promise.all(parts.map(load));
      else for (const made of parts) if (mine === reloads) await load(made);
    } while (isOutdated && mine === reloads);
    if (mine === reloads) searched = undefined;
  }

  const of = (...statuses) => Array.from(known.values()).filter((one) => statuses.includes(one.status));

  function draw() {
    const held = parts.find(({list}) => list.matches(':active'));
    if (held) unpressed(held.list, draw); else drawAll();
  }

  function drawAll() {
    redraw(() => {
      for (const {name, statuses, order, list, nothing, wider, more, amounts, fold, content, cursor, isLoaded, error} of parts) {
        const everything = of(...statuses).filter(isPart);
        const items = everything.filter(shows).sort(order);
        keep(list, order === inOrder ? withDays(items) : items, (one) => (one.day ? headOf(one.day) : `${one.version} ${one.stop?.number}/${one.stop?.of} ${mark(one)}`),
          (one) => (one.day ? h('li', {class: 'day'}, headOf(one.day)) : card(one)));
        more.hidden = !cursor;
        // Who could not ask knows of none, which is not that there is none.
        nothing.hidden = items.length > 0 || Boolean(error || (isLoaded && cursor));
        const way = isLoaded && !items.length && widen(everything.length);
        nothing.classList.toggle('loading', !isLoaded);
        nothing.firstChild.textContent = isLoaded ? way?.text ?? empty(name) : t('loading');
        wider.hidden = !way;
        if (way) [wider.textContent, wider.onclick] = [way.verb, way.act];
        for (const [at, status] of statuses.entries()) {
          // How much is over, of all days, is no number that says anything; how much of it was found is one.
          const [count, total] = [items, everything].map((ones) => ones.filter((one) => one.status === status).length);
          // Where some are left out, of how many these are.
          amounts[at].textContent = isLoaded && (!fold || query().q || isSought(name)) ? ` ${count === total ? '' : `${count} / `}${total}${cursor ? '+' : ''}` : '';
        }
        content.hidden = fold && !unfolded.has(name) && !query().q && !isSought(name);
        if (fold) fold.setAttribute('aria-expanded', String(!content.hidden));
      }
    });
    drawn();
  }

  /** A delivery as it is now. */
  function put(delivery) {
    told.set(delivery.id, ++clock);
    if (known.get(delivery.id)?.version > delivery.version) return;
    known.set(delivery.id, delivery);
    draw();
  }

  /** A delivery that is nothing to this account any more. */
  function remove(id) {
    told.set(id, ++clock);
    known.delete(id);
    draw();
  }

  /** What was kept of an earlier visit, until it is loaded. */
  function fill(items) {
    for (const item of items) known.set(item.id, item);
    for (const made of parts) made.isLoaded = true;
    draw();
  }

  return {parts, problem, unfold, get: (id) => known.get(id), of, reload, renew, draw, put, remove, fill};
}
