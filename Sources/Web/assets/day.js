// The day: the weather of a chosen place by the hour and for eight days, and the places to choose from. What is seen is never much older
// than a minute.
import {get, lasting} from './ask.js';
import {h, newID, redraw, trouble, wordsOf} from './dom.js';
import {nothing} from './empty.js';
import {places} from './places.js';
import {lately, locate} from './positions.js';
import {clockOf, degrees, skyOf} from './sky.js';
import {lastPlace} from './whereabouts.js';
import {number, t, weekday, when} from './words.js';

// Milliseconds after which it is asked for anew when somebody looks.
const fresh = 60_000;
// And after which nobody tells it any more, since it was foreseen too long ago.
const longest = 6 * 3_600_000;
const patience = 3000;
// Hours that stand there to be seen at a glance: a day's.
const glimpses = 24;
// From how many in a hundred on rain is told of there.
const likely = 20;
const anywhere = {name: 'Zagreb', lat: 45.81, lon: 15.98};

const momentOf = (one) => one && `${weekday(one.local.slice(0, 10))} ${clockOf(one)}`;

const percent = (value) => (value === null ? '–' : `${number(Math.round(value))} %`);

/** What is left of what was told some time ago, by the clock; null if that is nothing, or too old. */
function left(page) {
  const hours = page.hours.filter(({at}) => Date.parse(at) + 3_600_000 > Date.now());
  if (!hours.length || Date.now() - Date.parse(page.fetched_at) > longest) return null;
  const today = hours[0].local.slice(0, 10);
  return {...page, hours, days: page.days.filter(({date}) => date >= today), current: hours[0] === page.hours[0] ? page.current : null};
}

export function day(region, {account}) {
  const shown = h('section', {class: 'panel weather', 'aria-live': 'off'});
  // `picked` is the hour that somebody looks at, if it is not the present one.
  let chosen = null, picked = null, loaded = 0, isLeft = false, turn = 0;

  /** Where one is, and what that is called; where nobody says so, where the store is, or somewhere. */
  const here = () => new Promise((found) => {
    const elsewhere = () => found(account.location ? [account.name, account.location] : [anywhere.name, anywhere, t('weatherElsewhere')]);
    const hereNow = ({lat, lon}) => found([t('whereIAm'), {lat, lon}]);
    if (lastPlace()) return hereNow(lastPlace());
    locate(hereNow, elsewhere, lately);
    return setTimeout(elsewhere, patience);
  });

  async function read() {
    const {weather} = await get('/v1/about');
    if (!weather) return {isOff: true};
    if (chosen) return get('/v1/weather', {place: chosen});
    const [name, {lat, lon}, why] = await here();
    return {name, why, ...await get('/v1/weather', {lat, lon})};
  }

  async function load() {
    const mine = ++turn;
    if (!shown.dataset.loaded) shown.replaceChildren(h('div', {class: 'skeleton', role: 'status'}, h('span', {class: 'unseen'}, t('loading')), h('i'), h('i'), h('i')));
    shown.setAttribute('aria-busy', 'true');
    let page, failure, isNew = false;
    try {
      page = await lasting(`weather.${chosen ?? 'here'}`, async () => {
        const answer = await read();
        isNew = true;
        return answer;
      });
    } catch (error) {
      failure = error;
    }
    if (isLeft || mine !== turn) return;
    shown.removeAttribute('aria-busy');
    loaded = Date.now();
    // The server says only what is to come, whatever this clock shows.
    const told = !page || page.isOff || isNew ? page : left(page);
    shown.classList.toggle('off', Boolean(page?.isOff));
    if (page?.isOff) shown.replaceChildren(nothing('div', t('weatherOff'), t('weatherOffHint')));
    else if (told) show(told);
    else if (page) shown.replaceChildren(trouble(t('weatherTooOld', {time: when(page.fetched_at)}), load));
    else shown.replaceChildren(trouble(failure.status === 422 ? t('weatherNoPlace') : wordsOf(failure), load));
    if (told) shown.dataset.loaded = 'yes'; else delete shown.dataset.loaded;
  }

  function show(page) {
    const {place, current, hours, days, stale, fetched_at: at} = page;
    const first = Math.max(0, hours.findIndex((one) => one.at === picked));
    const slider = h('input', {type: 'range', id: newID(), min: 0, max: Math.max(0, hours.length - 1), value: first, oninput() {
      const nth = Number(slider.value);
      picked = nth ? hours[nth].at : null;
      draw(nth);
    }});
    const isHeld = shown.querySelector('input') === document.activeElement;
    const hour = h('div', {class: 'hour'});
    // It may also be of when there was a connection.
    const old = stale || Date.now() - new Date(at) > 10 * fresh;

    function draw(nth) {
      const one = nth === 0 && current ? current : hours[nth];
      const time = nth === 0 ? t('weatherNow') : momentOf(one);
      slider.setAttribute('aria-valuetext', `${time}: ${degrees(one.temperature_c)}, ${one.words ?? ''}`);
      hour.replaceChildren(...[h('p', {class: 'at'}, time), h('p', {class: 'large'}, h('span', {class: 'sky'}, skyOf(one.code, hours[nth])), degrees(one.temperature_c)),
        h('p', {}, one.words ?? ''), one.warning && h('p', {class: 'warning'}, `! ${t(`weather_${one.warning}`)}`),
        h('dl', {class: 'readings'}, reading('weatherChance', percent(one.precipitation_chance)), reading('weatherAmount', one.precipitation_mm === null ? '–' : `${number(one.precipitation_mm)} mm`),
          reading('weatherHumidity', percent(one.humidity)), reading('weatherWind', one.wind_kmh === null ? '–' : `${number(Math.round(one.wind_kmh))} km/h`))].filter(Boolean));
    }

    const strip = hours.slice(1, 1 + glimpses).map((one, place) => h('li', {'data-key': one.at}, h('button', {type: 'button', class: 'quiet', onclick() {
      slider.value = place + 1;
      slider.dispatchEvent(new Event('input'));
    }}, h('span', {class: 'hint'}, clockOf(one)), h('span', {class: 'sky'}, skyOf(one.code, one)), h('strong', {}, degrees(one.temperature_c)),
      h('span', {class: 'hint wet'}, one.precipitation_chance >= likely ? percent(one.precipitation_chance) : ''))));
    const now = h('div', {}, h('h2', {}, place.name ?? page.name), page.why && h('p', {class: 'hint'}, page.why), hour, h('div', {class: 'field'}, h('label', {for: slider.id}, t('weatherHour')), slider),
      h('p', {class: 'ends hint', 'aria-hidden': 'true'}, h('span', {}, t('weatherNow')), h('span', {}, momentOf(hours.at(-1)))));
    redraw(() => shown.replaceChildren(now,
      h('ol', {class: 'hours'}, strip),
      h('ol', {class: 'days', 'aria-label': t('weatherDays')}, days.map((one, nth) => h('li', {}, h('span', {}, nth ? weekday(one.date) : t('today')),
        h('span', {class: 'sky'}, skyOf(one.code)), h('span', {class: 'hint'}, one.words ?? ''), h('span', {class: 'hint'}, percent(one.precipitation_chance)),
        h('span', {class: 'range'}, h('strong', {}, degrees(one.high_c)), ` ${degrees(one.low_c)}`)))),
      h('p', {class: old ? 'warning' : 'hint'}, t(stale ? 'weatherStale' : 'weatherFrom', {source: page.source, time: when(at)}))));
    if (hours.length) draw(first);
    if (isHeld) slider.focus();
  }

  const reading = (name, text) => h('div', {}, h('dt', {}, t(name)), h('dd', {}, text));

  function seen() {
    // What a thumb is on stays where it is.
    if (!document.hidden && Date.now() - loaded > fresh && !shown.querySelector(':active')) load();
  }

  document.addEventListener('visibilitychange', seen);
  const clock = setInterval(seen, fresh / 4);
  region.append(shown, places((id) => {
    if (loaded && id === chosen) return;
    chosen = id;
    delete shown.dataset.loaded;
    load();
  }));
  return {
    leave() {
      isLeft = true;
      clearInterval(clock);
      document.removeEventListener('visibilitychange', seen);
    },
    onFresh: load,
  };
}
