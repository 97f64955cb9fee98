// One delivery, with what may be done with it and all that it went through.
import {all, get, keeper, post} from './ask.js';
import {badge, facts, fullName, mapLink, moment, phoneLink, timeline} from './delivery.js';
import {edit} from './editor.js';
import {h, loading, openBeside, openDialog, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {t} from './words.js';

/** Opens it; `changed` gets it when something was done here, `closed` is told at the end. */
export function details(delivery, {changed, closed}) {
  const content = h('div');
  const dialog = openBeside(fullName(delivery.recipient), content);
  dialog.classList.add('wide');
  dialog.addEventListener('close', closed);

  let shown;
  function show(current) {
    if (!current || current.version === shown) return;
    shown = current.version;
    const hadFocus = content.contains(document.activeElement);
    const {recipient, courier, allowed_actions: may} = current;
    content.replaceChildren(
      h('p', {class: 'top'}, badge(current.status), current.reference && h('span', {class: 'hint'}, current.reference)),
      facts([
        [t('address'), mapLink(recipient)],
        [t('phone'), recipient && (recipient.phone ? phoneLink(recipient.phone, fullName(recipient)) : t('notAvailable'))],
        [t('description'), current.description], [t('instructions'), current.instructions],
        [t('courier'), courier && h('span', {}, `${fullName(courier)} `, phoneLink(courier.phone, fullName(courier)))],
        [t('createdAt'), moment(current.created_at)],
      ]),
      h('p', {class: 'actions'},
        may.includes('edit') && h('button', {type: 'button', onclick: change}, t('edit')),
        may.includes('cancel') && h('button', {type: 'button', class: 'danger', onclick: () => cancel(current)}, t('cancelDelivery'))),
      current.status === 'pending' ? candidates(current) : '',
      h('h3', {}, t('history')), timeline(current.id));
    if (hadFocus) dialog.querySelector('button').focus();
  }

  /** Whom it is offered to is told with the one delivery only. */
  async function change({currentTarget: button}) {
    button.disabled = true;
    try {
      edit(await get(`/v1/deliveries/${delivery.id}`), changed);
    } catch (error) {
      say(wordsOf(error));
    }
    button.disabled = false;
  }

  function cancel(current) {
    const key = keeper();
    const asking = openDialog(t('cancelDelivery'), form(
      [h('p', {}, t('cancelWarning')), {name: 'reason', label: t('reason'), rows: 2}], t('cancelDelivery'), async (values) => {
        changed(await post(`/v1/deliveries/${current.id}/cancel`, values, {key: key(values)}));
        asking.close();
        say(t('cancelledNow'));
      }, {danger: true, cancel: () => asking.close()}));
  }

  show(delivery);
  return {id: delivery.id, show, close: () => dialog.close()};
}

/** Whom it is offered to, by name. */
function candidates(delivery) {
  const list = h('ul', {class: 'rows'});
  loading(list, () => Promise.all([all('/v1/partners'), get(`/v1/deliveries/${delivery.id}`)]), ([partners, {candidates: asked}]) => {
    const names = new Map(partners.map((courier) => [courier.id, fullName(courier)]));
    list.replaceChildren(...asked.map(({courier_id: id, state}) =>
      h('li', {}, h('span', {}, names.get(id) ?? t('formerPartner')), h('span', {class: 'hint'}, t(`candidate_${state}`)))));
  });
  return h('section', {}, h('h3', {}, t('offeredToWhom')), list);
}
