// Inviting a courier, and passing the invite on.
import {get, post} from './ask.js';
import {fullName, moment} from './delivery.js';
import {h, openDialog, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {t} from './words.js';

// Another click meanwhile would show the same invite twice.
let isInviting = false;

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

/** The form for a number; `sent` is told when there is an invite. */
export const numberForm = (sent = () => {}) => form(
  [{name: 'phone', label: t('phone'), type: 'tel', required: true, autocomplete: 'off', hint: t('phoneHint')},
    {name: 'message', label: t('messageToCourier'), rows: 1, hint: t('messageToCourierHint')}], t('inviteByNumber'),
  async ({phone, message}, element) => {
    await invite({phone: phone ?? '', message});
    element.reset();
    sent();
  });

/** Asks for a number, wherever somebody finds that a courier is missing. */
export function inviteByNumber(sent = () => {}) {
  const dialog = openDialog(t('inviteSomebody'), h('p', {}, t('inviteText')), numberForm(() => { dialog.close(); sent(); }));
}

/** How an invite goes out, as is true: whether anybody sends it is known by its answer, or by what the server can do. */
async function howItGoes({channel, channel_is_live: isLive}) {
  if (channel === 'link') return t('sentBy_link');
  const lives = isLive ?? (await get('/v1/about')).channels[channel] === 'live';
  return t(lives ? `sentBy_${channel}` : `waitsFor_${channel}`);
}

/** The code, the link and the picture, to be shown or passed on, with the text ready in it. */
export function showInvite(made) {
  const {code, url, phone, courier, expires_at: end} = made;
  const state = h('p', {class: 'notice'}, t('loading'));
  howItGoes(made).then((words) => { state.textContent = words; }, (error) => { state.textContent = wordsOf(error); });
  const write = async () => navigator.clipboard.writeText(url);
  const copy = h('button', {type: 'button', onclick: () => write().then(() => say(t('copied')), () => say(t('notCopied')))}, t('copyLink'));
  const text = encodeURIComponent(t('inviteMessage', {url, code}));
  const to = (href, name) => h('a', {href, class: 'button'}, name);
  openDialog(courier ? t('inviteName', {name: fullName(courier)}) : t('theInvite'), state,
    h('div', {class: 'pass'}, h('img', {class: 'qr', src: `/i/${code}/qr.svg`, alt: t('qrOf', {url}), width: 220, height: 220}),
      h('div', {}, h('p', {class: 'code'}, code), h('p', {}, h('a', {href: url}, url)), h('p', {class: 'hint'}, t('validUntil'), ' ', moment(end)),
        h('p', {class: 'actions'}, copy, to(`sms:${phone ?? ''}?&body=${text}`, t('bySMS')),
          to(`mailto:?subject=${encodeURIComponent(t('invite_title'))}&body=${text}`, t('byMail'))))));
}
