// Inviting a courier, and passing the invite on.
import {remembered} from './account.js';
import {all, post, Refusal} from './ask.js';
import {fullName, moment} from './delivery.js';
import {h, openDialog, say} from './dom.js';
import {form} from './form.js';
import {t} from './words.js';

// Another click meanwhile would show the same invite twice.
let isInviting = false;
// The invite that is shown, with its dialog.
let shown;

/** Invites by account or by number, and shows what came of it. */
export async function invite(whom) {
  if (isInviting) return;
  isInviting = true;
  try {
    showInvite({...await post('/v1/invites', whom), ...whom});
  } finally {
    isInviting = false;
  }
}

/** The form for a number; `sent` is told when there is an invite, and what is typed is kept by the name of its `draft`. */
export const numberForm = (sent = () => {}, draft) => form(
  [{name: 'phone', label: t('phone'), type: 'tel', required: true, autocomplete: 'off', hint: t('phoneHint')},
    {name: 'message', label: t('messageToCourier'), rows: 1, hint: t('messageToCourierHint')}], t('inviteByNumber'),
  async ({phone, message}, element) => {
    if (!phone) throw new Refusal(422, {errors: [{field: 'phone', detail: t('phoneNeeded')}]});
    await invite({phone, message});
    element.reset();
    sent();
  }, {draft});

/** Asks for a number, wherever somebody finds that a courier is missing. */
export function inviteByNumber(sent = () => {}) {
  const dialog = openDialog(t('inviteSomebody'), h('p', {}, t('inviteText')), numberForm(() => { dialog.close(); sent(); }));
}

/** How an invite goes out, as is true at this moment. */
const howItGoes = ({channel, channel_is_live: isLive}) => t(isLive || channel === 'link' ? `sentBy_${channel}` : `waitsFor_${channel}`);

/** The code, the link and the picture, to be shown or passed on, with the text ready in it. */
export function showInvite(made) {
  const {id, code, url, phone, courier, expires_at: end} = made;
  const write = async () => navigator.clipboard.writeText(url);
  const copy = h('button', {type: 'button', class: 'main', onclick: () => write().then(() => say(t('copied')), () => say(t('notCopied')))}, t('copyLink'));
  const text = encodeURIComponent(t('inviteMessage', {url, code, store: remembered().name}));
  const to = (href, name) => h('a', {href, class: 'button'}, name);
  const dialog = openDialog(courier ? t('inviteName', {name: fullName(courier)}) : t('theInvite'), h('p', {class: 'notice'}, howItGoes(made)),
    h('p', {class: 'actions passing'}, copy), h('p', {class: 'actions passing'}, to(`sms:${phone ?? ''}?&body=${text}`, t('bySMS')), to(`mailto:?subject=${encodeURIComponent(t('invite_title'))}&body=${text}`, t('byMail'))),
    h('div', {class: 'pass'}, h('img', {class: 'qr', src: `/i/${code}/qr.svg`, alt: t('qrOf', {url}), width: 220, height: 220}),
      h('div', {}, h('p', {class: 'code'}, code), h('p', {}, h('a', {href: url}, url)), h('p', {class: 'hint'}, t('validUntil'), ' ', moment(end)))));
  shown = {id, dialog};
}

/** Says who has joined, and puts away the invite that is shown if it was that one. */
export async function welcomed({courier_name: name}) {
  say(t('courierJoined', {name}));
  if (!shown?.dialog.isConnected) return;
  const {id, dialog} = shown;
  const invites = await all('/v1/invites').catch(() => []);
  if (invites.some((one) => one.id === id && one.state !== 'live')) dialog.close();
}
