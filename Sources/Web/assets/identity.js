// What one signs in with: proving it by a code that was sent there, and changing it.
import {refreshed, remember} from './account.js';
import {ask, get, post} from './ask.js';
import {grouped} from './delivery.js';
import {h, openDialog, panel, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {t} from './words.js';

/** What an account signs in with: its name in the API, its value, and whether that is proven. */
const login = (account) => (account.kind === 'store'
  ? {name: 'email', value: account.email, isProven: account.email_verified}
  : {name: 'phone', value: account.phone, isProven: account.phone_verified});

/** Asks whoever is new for the code that was just sent. */
export const askNew = (account, done) => login(account).isProven || askForCode(account, done);

/** Has a place say what is still to be proven, with a button; nothing where there is nothing. Gives what has it say so anew. */
export function unproven(account, place) {
  const line = h('p', {class: 'banner', role: 'status'});
  place.replaceChildren(line);
  function draw() {
    const {name, value, isProven: isDone} = login(account);
    line.hidden = isDone;
    if (isDone) return line.replaceChildren();
    return line.replaceChildren(t(value ? `unproven_${name}` : `lost_${name}`, {place: value}), ' ', value
      ? h('button', {type: 'button', onclick: () => askForCode(account, draw)}, t('enterCode'))
      : h('button', {type: 'button', onclick: () => askForPlace(account, draw)}, t(`change_${name}`)));
  }
  draw();
  return draw;
}

/** Asks for the code that was sent to `place`; `done` is called when the account has it. */
export function askForCode(account, done = () => {}, {place = login(account).value, sending} = {}) {
  const {name} = login(account);
  const state = h('p', {class: 'hint'});
  const code = {name: 'code', label: t('code'), required: true, autocomplete: 'one-time-code', inputmode: 'numeric',
    hint: t('sixDigits')};

  async function confirm(values) {
    keep(account, await post(`/v1/me/${name}/confirm`, values));
    dialog.close();
    done();
    say(t(`proven_${name}`));
  }

  async function again() {
    try {
      tell(await post(`/v1/me/${name}/code`));
      say(t('codeSent'));
    } catch (error) {
      say(wordsOf(error));
    }
  }

  function tell({is_live: isLive}) { state.textContent = isLive ? '' : t(`waits_${name}`); }

  const dialog = openDialog(t(`prove_${name}`), h('p', {}, t('codeSentTo', {place})), state,
    form([code], t('confirm'), confirm),
    h('p', {class: 'actions'}, h('button', {type: 'button', onclick: again}, t('anotherCode'))));
  if (sending) tell(sending); else live(name).then((isLive) => tell({is_live: isLive}), () => {});
}

/** Whether what goes to a number or an address is sent by anybody. */
async function live(name) {
  const {channels} = await get('/v1/about');
  return channels[name === 'email' ? 'email' : 'sms'] === 'live';
}

/** Asks for another number or address, and then for its code. */
function askForPlace(account, done) {
  const {name, value} = login(account);
  const place = name === 'email'
    ? {name, label: t('email'), type: 'email', required: true, autocomplete: 'email', value}
    : {name, label: t('phone'), type: 'tel', required: true, autocomplete: 'tel', value, hint: t('phoneHint')};
  const password = {name: 'current_password', label: t('currentPassword'), type: 'password', required: true,
    autocomplete: 'current-password'};

  async function change(values) {
    const answer = await ask('PUT', `/v1/me/${name}`, values);
    dialog.close();
    if (!answer.id) return askForCode(account, done, {place: values[name], sending: answer});
    keep(account, answer);
    done();
    say(t('saved'));
  }

  const dialog = openDialog(t(`change_${name}`), h('p', {class: 'hint'}, t('changeHint')),
    form([place, password], t('next'), change));
}

function keep(account, answer) { remember(Object.assign(account, answer)); }

/** The part of the settings that shows and changes it. */
export function signInWith(account) {
  const {name} = login(account);
  const content = h('div');
  function draw() {
    const {value, isProven: isDone} = login(account);
    content.replaceChildren(
      h('p', {}, h('strong', {}, value ? grouped(value) : '–'), ' ', h('span', {class: 'hint'}, t(isDone ? 'isConfirmed' : 'isNotConfirmed'))),
      h('p', {class: 'actions'},
        !isDone && value && h('button', {type: 'button', class: 'main', onclick: () => askForCode(account, drawAgain)}, t('enterCode')),
        h('button', {type: 'button', onclick: () => askForPlace(account, drawAgain)}, t(`change_${name}`))));
  }
  const drawAgain = () => { draw(); refreshed().then((fresh) => { Object.assign(account, fresh); draw(); }, () => {}); };
  draw();
  return panel(t('signInWith'), content);
}
