// What a store had better know of the weather of the next hours where it is: rain, ice and storm.
import {remembered} from './account.js';
import {get} from './ask.js';
import {h} from './dom.js';
import {clockOf, skySign} from './sky.js';
import {t} from './words.js';

// So many hours are looked ahead, and milliseconds are between looks.
const ahead = 12;
const pace = 600_000;

/** Stretches of hours with the same warning. */
function stretches(hours) {
  const found = [];
  for (const [nth, hour] of hours.entries()) {
    const last = found.at(-1);
    if (!hour.warning) continue;
    if (last?.warning === hour.warning && last.end === nth) last.end = nth + 1; else found.push({warning: hour.warning, start: nth, end: nth + 1});
  }
  return found;
}

/** Fills a line with warnings, where there are any, until what it gives is called. Nobody may know the weather, or where the store is. */
export function warnings(line) {
  let loaded = 0;

  async function load() {
    const at = remembered()?.location;
    if (!at || document.hidden || Date.now() - loaded < pace) return;
    loaded = Date.now();
    try {
      if (!(await get('/v1/about')).weather) return;
      const {hours} = await get('/v1/weather', {lat: at.lat, lon: at.lon});
      const near = hours.slice(0, ahead + 1);
      const found = stretches(near.slice(0, ahead));
      line.replaceChildren(...found.map(({warning, start, end}) => h('li', {}, skySign(warning), ' ',
        start ? t(`weather_${warning}_from`, {from: clockOf(near[start]), until: near[end] ? clockOf(near[end]) : ''}) : t(`weather_${warning}_now`, {until: near[end] ? clockOf(near[end]) : ''}))));
      line.hidden = !found.length;
    } catch {
      // The board does without: who wants to know looks at the day.
      loaded = 0;
    }
  }

  const clock = setInterval(load, pace / 10);
  document.addEventListener('visibilitychange', load);
  load();
  return () => {
    clearInterval(clock);
    document.removeEventListener('visibilitychange', load);
  };
}
