// Reporting something of the road in three taps: that there is something, what it is, and that it is here. Everything else has a usual
// value, and is folded.
import {newKey} from './ask.js';
import {aimed, h, openDialog, say} from './dom.js';
import {form} from './form.js';
import {addTo} from './outgoing.js';
import {kindSign} from './roadkinds.js';
import {t} from './words.js';

const types = ['city', 'main', 'regional', 'motorway', 'border_crossing'];

/** Asks what there is at or near a place; without a map it is where one is, if that is known (`me`). */
export function reporting({at, me, kinds, base}) {
  const dialog = openDialog(t('roadReport'), h('ul', {class: 'kinds'}, kinds.map((kind) => h('li', {}, h('button', {type: 'button', onclick: () => where(kind)},
    h('span', {class: `kind ${kind}`, 'aria-hidden': 'true'}, kindSign(kind)), t(`road_${kind}`))))));

  function where(kind) {
    dialog.close();
    pin(kind, {at, me, base});
  }
}

/** Asks where it is: the place in the middle of the map. */
function pin(kind, {at, me, base}) {
  const place = h('div', {class: 'map picker', tabindex: '0'});
  const ground = h('div', {}, aimed(place), h('p', {class: 'hint'}, t('mapPickHint')));
  let map, middle = at;
  const isRadar = kind.startsWith('radar');
  const element = form([
    ground,
    {fold: t('roadMore'), fields: [
      {name: 'title', label: t('roadTitle'), value: t(`road_${kind}`), required: true, longest: 120},
      {name: 'road_type', label: t('roadType'), value: isRadar ? '' : 'city', required: !isRadar,
        options: [...isRadar ? [['', '–']] : [], ...types.map((type) => [type, t(`roadtype_${type}`)])]},
      {name: 'road', label: t('roadName'), longest: 120}, {name: 'text', label: t('roadText'), rows: 2, longest: 1000},
    ]},
  ], t('do_report_road'), (values) => {
    if (map) middle = {lat: map.getCenter().lat, lon: map.getCenter().lng};
    if (!middle) return say(t('roadNowhere'));
    dialog.close();
    return addTo('/v1/roads', newKey(), 'report_road', {kind, ...Object.fromEntries(Object.entries(values).filter(([, value]) => value)), location: {lat: Number(middle.lat.toFixed(6)), lon: Number(middle.lon.toFixed(6))}});
  }, {cancel: () => dialog.close()});
  const dialog = openDialog(t(`road_${kind}`), element);
  dialog.addEventListener('close', () => map?.remove());
  element.querySelector('button.main').autofocus = true;
  import('./map.js').then(({makeMap}) => {
    map = makeMap(place, base, {label: t('mapPick'), closer: t('mapCloser'), farther: t('mapFarther')});
    map.setView([at.lat, at.lon], 16, {animate: false});
  }).catch(() => {
    // Where one looked last is not where something is.
    middle = me;
    ground.replaceChildren(h('p', {class: me ? 'hint' : 'warning'}, t(me ? 'roadWhereYouAre' : 'roadNowhere')));
  });
}
