// The places that an account keeps: their order, and which one it has chosen.
import {remembered} from './account.js';
import {all, ask, get, lasting, post} from './ask.js';
import {confirmed, fill, h, loading, openDialog, panel, say, wordsOf} from './dom.js';
import {completePlace} from './found.js';
import {changes, form} from './form.js';
import {phoneLink} from './delivery.js';
import {t} from './words.js';

/** `chosen` is told which one is, whenever that has been loaded; or none, where it cannot be. */
export function places(chosen = () => {}) {
  const list = h('ul', {class: 'rows'});
  const here = h('div');
  let kept = [], selected = null;

  const read = () => lasting('places', async () => ({items: await all('/v1/places'), selection: (await get('/v1/places', {limit: 1})).selected})).catch((error) => {
    chosen(null);
    throw error;
  });

  const load = () => loading(list, read, ({items, selection}) => {
    [kept, selected] = [items, selection];
    show();
    chosen(selected);
  });

  function show() {
    here.replaceChildren(kept.length ? choice(null, t('whereIAm')) : '');
    fill(list, kept.map((place, number) => ({...place, number, count: kept.length, isChosen: place.id === selected})), row, 'noPlaces');
  }

  const choice = (id, name) => h('label', {class: 'choice'},
    h('input', {type: 'radio', name: 'place', checked: id === selected, onchange: () => select(id)}), h('span', {}, name));

  function row(place) {
    const {id, name, address, phone, note, number, count} = place;
    const button = (sign, label, act, style, isPossible = true) => h('button', {type: 'button', class: style, 'aria-label': t(label, {name}), title: t(label, {name}), 'aria-disabled': !isPossible && 'true', onclick: () => isPossible && act()}, sign);
    return h('li', {}, h('div', {}, choice(id, h('strong', {}, name)), h('p', {}, address), phone && phoneLink(phone, name), note && h('p', {class: 'said'}, note)),
      h('p', {class: 'actions'}, button('↑', 'movePlaceUp', () => move(number, -1), 'plain', number > 0), button('↓', 'movePlaceDown', () => move(number, 1), 'plain', number < count - 1),
        button(t('edit'), 'changePlace', () => edit(place)), button(t('deletePlaceShort'), 'deletePlace', () => remove(place), 'danger')));
  }

  /** Does it, and shows what is then; what went wrong is told. */
  async function change(act) {
    try {
      await act();
    } catch (error) {
      say(wordsOf(error));
    }
    load();
  }

  const select = (id) => change(() => ask('PUT', '/v1/places/selected', {id}));

  function move(number, step) {
    const ids = kept.map(({id}) => id);
    ids.splice(number + step, 0, ...ids.splice(number, 1));
    return change(async () => {
      await ask('PUT', '/v1/places/order', {ids});
      say(t('placeMoved', {name: kept[number].name, number: number + step + 1, count: ids.length}));
    });
  }

  async function remove({id, name}) {
    if (await confirmed(t('deletePlace', {name}), t('deletePlaceWarning'), t('deletePlaceShort'))) change(() => ask('DELETE', `/v1/places/${id}`));
  }

  function edit(place) {
    let known = place ?? {};
    const fields = [
      {name: 'name', label: t('placeName'), value: place?.name, required: true}, {name: 'address', label: t('address'), value: place?.address, required: true},
      {name: 'phone', label: t('phone'), value: place?.phone, type: 'tel'}, {name: 'note', label: t('note'), value: place?.note, rows: 1},
    ];
    const element = form(fields, t('save'), async (values) => {
      // A place is that of its address.
      const location = values.address === known.address ? known.location ?? null : null;
      if (place) await ask('PATCH', `/v1/places/${place.id}`, {...changes(place, values), ...(location !== place.location && {location})});
      else await post('/v1/places', {...values, location});
      dialog.close();
      load();
    }, {cancel: () => dialog.close()});
    completePlace(element.elements.address, (found) => {
      known = found;
      element.elements.address.value = found.address;
      element.elements.name.value ||= found.name;
      element.elements.phone.value ||= found.phone ?? '';
    }, {isAddress: true});
    const dialog = openDialog(place ? t('changePlace', {name: place.name}) : t('newPlace'), element);
  }

  load();
  return panel(t('places'), h('p', {class: 'hint'}, t(`placesHint_${remembered().kind}`)), h('fieldset', {}, h('legend', {class: 'unseen'}, t('places')), here, list),
    h('p', {class: 'actions'}, h('button', {type: 'button', onclick: () => edit()}, t('newPlace'))));
}
