// What couriers gave back, and what they and their stores say of that afterwards.
import {get, post} from './ask.js';
import {moment, reasonOf} from './delivery.js';
import {fill, h, loading, openDialog, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {noticed} from './push.js';
import {t} from './words.js';

/** Why and when a courier gave back; to be contested by itself, or excused by the store that it was of. */
export function cancellations(courier, isOwn) {
  const list = h('ul', {class: 'rows'});
  const load = () => loading(list, () => get(`/v1/couriers/${courier}/cancellations`, {limit: 100}), ({items}) => {
    fill(list, items, row, 'noCancellations');
    noticed('cancellations', ({cancellation_id: id}) => items.some((one) => one.id === id));
  });

  function row(one) {
    const {at, reason, note, state, contest} = one;
    // Whoever it does not concern is told neither the delivery nor what was said.
    const isConcerned = 'delivery_id' in one;
    const [verb, act] = isOwn ? ['contest', () => ask(one)] : ['excuse', () => excuse(one)];
    const isOpen = isConcerned && (isOwn ? state === 'counted' : state !== 'excused');
    return h('li', {}, h('div', {}, h('span', {}, reasonOf(reason), note && `: ${note}`), contest?.note && h('p', {class: 'said'}, `“${contest.note}”`),
      h('p', {class: 'hint'}, moment(at), ` · ${t(`cancellation_${state}`)}`)),
    isOpen && h('button', {type: 'button', onclick: act}, t(verb)));
  }

  function ask({id}) {
    const note = {name: 'note', label: t('note'), required: true, rows: 2, hint: t('contestHint')};
    const dialog = openDialog(t('contest'), form([note], t('contest'), async (values) => {
      await post(`/v1/cancellations/${id}/contest`, {note: values.note ?? ''});
      dialog.close();
      say(t('contested'));
      load();
    }, {cancel: () => dialog.close()}));
  }

  async function excuse({id}) {
    try {
      await post(`/v1/cancellations/${id}/excuse`);
      say(t('excused'));
    } catch (error) {
      say(wordsOf(error));
    }
    load();
  }

  load();
  return {list, load};
}
