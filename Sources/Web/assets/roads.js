// What there is on the road around a courier: on a map and as a list, nearest first, by kind; reported, and said to be gone or still
// there. Without a connection the last list is there with its age, and what was said goes out later.
import {remembered} from './account.js';
import {get, lasting} from './ask.js';
import {h, loading, openDialog, redraw, say, unpressed, wordsOf} from './dom.js';
import {nothing} from './empty.js';
import {gathered} from './feed.js';
import * as outgoing from './outgoing.js';
import {lately, locate} from './positions.js';
import {distance} from './distance.js';
import {chooseKinds} from './roadfilter.js';
import {kinds, kindSign} from './roadkinds.js';
import {reporting} from './roadreport.js';
import {row, unsent} from './roadrow.js';
import {steady} from './stream.js';
import {t, when} from './words.js';

const radius = 20_000;
// How many are shown at most.
const most = 200;
const place = () => `kurir.road.${remembered()?.id}`;
// Where one begins who does not say where that is.
const anywhere = {lat: 45.81, lon: 15.98};
// Milliseconds within which a phone finds out where it is, or goes by where it was.
const patience = 3000;
// After which one that could not tell is asked again.
const pause = 5000;

export function roads(region) {
  // What is off, and where one looked last.
  const settings = {off: [], ...JSON.parse(localStorage.getItem(place()) ?? '{}')};
  let shown = {items: [], counts: {}}, near = settings.near, about = {}, me, map, maps, marks = [], isLeft = false, isFound = false, isElsewhere = false, isHeard = false;
  const mapPlace = h('div', {class: 'map', tabindex: '0'});
  const list = h('ul', {class: 'roads', 'aria-label': t('road')});
  const cut = h('li', {class: 'hint'}, t('roadNearest', {count: most}));
  const age = h('p', {class: 'hint age', role: 'status', hidden: true});
  const filter = h('button', {type: 'button', onclick: choose}, t('roadFilter'));
  const elsewhere = h('button', {type: 'button', hidden: true, onclick: lookThere}, t('roadLookHere'));
  const back = h('button', {type: 'button', hidden: true, onclick: lookHere}, t('roadAroundMe'));

  const isOn = ({kind}) => !settings.off.includes(kind);
  /** What is asked for, so that what is off takes no other's place. */
  const wanted = () => (settings.off.length ? {kinds: kinds.filter((kind) => isOn({kind})).join()} : {});

  /** The kinds that there are here. */
  const there = () => kinds.filter((kind) => about.radars !== 'off' || !kind.startsWith('radar'));

  function keepSettings() {
    localStorage.setItem(place(), JSON.stringify({...settings, near}));
  }

  /** Where the phone is, as soon as it says so; until then, where it was. A phone that takes its time is not waited for, and one that
   * cannot tell yet is asked again. */
  const find = () => new Promise((done) => {
    locate(({lat, lon}) => {
      if (isLeft) return;
      me = {lat, lon};
      if (!isElsewhere) lookAt(me);
      done();
    }, ({code}) => {
      if (code === 1) done(); else setTimeout(() => isLeft || find(), pause);
    }, lately);
    setTimeout(done, near ? 0 : patience);
  });

  const found = find().then(() => { near ??= remembered()?.location ?? anywhere; });

  const load = () => loading(list, async () => {
    await found;
    return lasting('roads', async () => ({
      ...await get('/v1/roads', {near: `${near.lat},${near.lon}`, radius_m: radius, limit: most, ...wanted()}), at: new Date().toISOString(), near,
    }));
  }, (page) => {
    shown = page;
    tellAge();
    draw();
  });

  /** From when it is what is shown, once that is a while ago or nobody knows what came since. */
  function tellAge() {
    if (!shown.at) return;
    age.hidden = navigator.onLine && Date.now() - new Date(shown.at) < 60_000;
    age.textContent = t('asOf', {time: when(shown.at)});
  }

  // A file of others' brings many at once.
  const loadSoon = gathered(() => isLeft || load(), 500);

  /** What waits to be reported, and what is there. */
  function draw() {
    const items = shown.items.filter(isOn);
    const off = settings.off.reduce((sum, kind) => sum + (shown.counts[kind] ?? 0), 0);
    filter.textContent = settings.off.length ? t('roadFilterSome', {count: off}) : t('roadFilter');
    const waiting = outgoing.all('report_road').map(unsent);
    const known = items.length || waiting.length ? items.map(row)
      : [nothing('li', t(off ? 'roadNothingOn' : 'roadNothing'), t('roadNothingHint'), t('roadReport'), report)];
    // As long as nobody knows what there is, it stays said that it loads, or why it does not.
    const told = shown.at ? [...known, ...shown.items.length < most ? [] : [cut]] : list.querySelectorAll(':scope > :not(.report)');
    unpressed(list, () => redraw(() => list.replaceChildren(...waiting, ...told)));
    drawMap(items);
  }

  /** What there is stands before who looks. */
  function drawMap(items) {
    if (!map) return;
    for (const mark of marks) mark.remove();
    marks = [...me ? [maps.sign(map, me, 'courier', '●', t('mapMe'))] : [], ...items.map((item) => maps.sign(map, item.location, `road ${item.kind}`, kindSign(item.kind), `${t(`road_${item.kind}`)}: ${item.title}`, () => look(item)))];
  }

  function look(item) {
    const dialog = openDialog(item.title, h('ul', {class: 'roads'}, row(item)));
    dialog.addEventListener('click', ({target}) => { if (target.closest('.actions button')) dialog.close(); });
  }

  function choose() {
    chooseKinds(there(), settings.off, shown.counts, (off) => {
      settings.off = off;
      keepSettings();
      draw();
      load();
    });
  }

  function report() {
    reporting({at: near ?? anywhere, me, kinds: there(), base: about.map});
  }

  function lookAt(place) {
    near = place;
    elsewhere.hidden = true;
    back.hidden = !isElsewhere || !me;
    keepSettings();
    map?.setView([near.lat, near.lon]);
    if (isFound) load();
  }

  function lookThere() {
    const {lat, lng} = map.getCenter();
    isElsewhere = true;
    lookAt({lat: Number(lat.toFixed(5)), lon: Number(lng.toFixed(5))});
  }

  function lookHere() {
    isElsewhere = false;
    lookAt(me);
    find();
  }

  async function begin() {
    load();
    await found;
    if (isLeft) return;
    isFound = true;
    about = await lasting('about', () => get('/v1/about'));
    // What alone was on may be gone where radars are forbidden by now.
    if (!there().some((kind) => isOn({kind}))) {
      settings.off = [];
      keepSettings();
      load();
    }
    maps = await import('./map.js').catch(() => null);
    if (isLeft) return;
    // The list says the same.
    mapPlace.hidden = !maps;
    mapPlace.parentElement.classList.toggle('alone', !maps);
    if (!maps) return;
    map = maps.makeMap(mapPlace, about.map, {label: t('mapOf'), closer: t('mapCloser'), farther: t('mapFarther')});
    map.setView([near.lat, near.lon], 13);
    map.on('dragend', () => { elsewhere.hidden = false; });
    draw();
  }

  const unlisten = outgoing.listen({
    changed: draw,
    answered(answer, {path}) {
      if (!path) return;
      if (answer) put(answer);
      load();
    },
    refused: () => false,
  });

  /** What was said of it is known by the answer. */
  function put(report) {
    shown.items = shown.items.map((item) => (item.id === report.id ? {...item, ...report} : item)).filter(({state}) => state === 'valid');
  }

  const unhear = steady('/v1/roads', {road(report) {
    if (isOn(report)) say(t('roadNew', {title: report.title, distance: distance(report.distance_m)}));
    loadSoon();
  }}, () => {
    // What came between two of them is in the list.
    if (isHeard && isFound) load();
    isHeard = true;
  });
  region.append(h('div', {class: 'tools'}, h('button', {type: 'button', class: 'main', onclick: report}, t('roadReport')), filter, elsewhere, back), age,
    h('div', {class: 'mapped'}, mapPlace, list));
  begin().catch((error) => say(wordsOf(error)));
  const clock = setInterval(tellAge, 10_000);
  for (const change of ['online', 'offline']) window.addEventListener(change, tellAge);
  return {
    leave() {
      isLeft = true;
      clearInterval(clock);
      for (const change of ['online', 'offline']) window.removeEventListener(change, tellAge);
      unhear();
      unlisten();
      map?.remove();
    },
    onFresh: load,
  };
}
