// What is around the place of a delivery: what there is on the road, and the weather when it is due. Only the delivery that is looked at
// knows, and nothing is missed where that cannot be asked.
import {get} from './ask.js';
import {h} from './dom.js';
import {distance} from './distance.js';
import {kindSign} from './roadkinds.js';
import {clockOf, degrees, skyOf} from './sky.js';
import {t} from './words.js';

const sky = (hour) => h('p', {class: hour.warning && 'warning'}, skyOf(hour.code), ' ',
  [`${clockOf(hour)}: ${degrees(hour.temperature_c)}`, hour.words, hour.warning && `! ${t(`weather_${hour.warning}`)}`].filter(Boolean).join(', '));

const road = ({kind, title, distance_m: meters}) => h('li', {}, h('span', {class: `kind ${kind}`, 'aria-hidden': 'true'}, kindSign(kind)),
  h('span', {}, `${title}, ${distance(meters)}`));

// Milliseconds within which the server has asked for weather that it does not know yet.
const patience = 3000;

/** A part that fills itself when it is known. */
export function surroundings(id) {
  const part = h('div', {class: 'around'});

  async function load() {
    const {roads_near: roads = [], weather} = await get(`/v1/deliveries/${id}`);
    part.replaceChildren(...weather ? [sky(weather)] : [], ...roads.length ? [h('ul', {'aria-label': t('road')}, roads.map(road))] : []);
    return weather === null;
  }

  load().then((isAwaited) => { if (isAwaited) setTimeout(() => part.isConnected && load().catch(() => {}), patience); }, () => {});
  return part;
}
