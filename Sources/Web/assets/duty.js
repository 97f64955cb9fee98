// Whether a courier is on duty: who is not gets no offers pushed.
import {ask} from './ask.js';
import {refreshed, remember} from './account.js';
import {h, openDialog, say, wordsOf} from './dom.js';
import {t, when} from './words.js';

const hour = 3_600_000;

/** The switch in the bar, hidden where the server knows no duty. Who comes may say until when. */
export function dutySwitch(account) {
  const button = h('button', {type: 'button', role: 'switch', class: 'duty', onclick: () => change(!account.on_duty)});

  let end;

  function draw() {
    const {on_duty: isOn, duty_until: until} = account;
    const left = new Date(until) - Date.now();
    clearTimeout(end);
    if (until && left > 0) end = setTimeout(over, left + 1000);
    button.hidden = isOn === undefined;
    button.setAttribute('aria-checked', String(isOn === true));
    // What it switches is its name; what is seen says how it is.
    button.replaceChildren(...isOn === false ? [h('span', {class: 'unseen'}, t('onDuty')), h('span', {'aria-hidden': 'true'}, t('isOffDuty'))]
      : [t('onDuty'), until ? ` ${t('untilTime', {time: when(until)})}` : '']);
  }

  /** The time has come that was said: the server knows better whether it still holds. */
  async function over() {
    if (!button.isConnected) return;
    Object.assign(account, await refreshed().catch(() => ({on_duty: false, duty_until: null})));
    draw();
  }

  function askUntil() {
    const times = [2, 4, 6, 8, 10].map((hours) => new Date(Math.ceil((Date.now() + hours * hour) / (hour / 2)) * (hour / 2)).toISOString());
    const choice = (text, until) => h('button', {type: 'button', onclick() {
      dialog.close();
      change(true, until);
    }}, text);
    const dialog = openDialog(t('untilWhenOnDuty'), h('p', {class: 'actions'}, choice(t('dutyOpen')), times.map((time) => choice(t('untilTime', {time: when(time)}), time))));
  }

  async function change(on, until = null) {
    const before = account.duty_until;
    try {
      const answer = await ask('PUT', '/v1/me/duty', {on, until});
      remember(Object.assign(account, {on_duty: on, duty_until: until}, answer));
      say(t(on ? 'nowOnDuty' : 'nowOffDuty'), on ? !until && {verb: t('dutyUntil'), act: askUntil} : {verb: t('undo'), act: () => change(true, before)});
    } catch (error) {
      say(wordsOf(error));
    }
    draw();
  }

  draw();
  return {button, draw};
}
