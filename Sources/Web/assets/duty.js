// Whether a courier is on duty: who is not gets no offers pushed.
import {ask} from './ask.js';
import {remember} from './account.js';
import {h, say, wordsOf} from './dom.js';
import {t, when} from './words.js';

/** The switch in the bar, hidden where the server knows no duty. */
export function dutySwitch(account) {
  const button = h('button', {type: 'button', role: 'switch', class: 'duty', onclick: change});

  function draw() {
    const {on_duty: isOn, duty_until: until} = account;
    button.hidden = isOn === undefined;
    button.setAttribute('aria-checked', String(isOn === true));
    button.replaceChildren(t('onDuty'), until ? ` ${t('untilTime', {time: when(until)})}` : '');
  }

  async function change() {
    try {
      const answer = await ask('PUT', '/v1/me/duty', {on: !account.on_duty});
      remember(Object.assign(account, {on_duty: !account.on_duty, duty_until: null}, answer));
      say(t(account.on_duty ? 'nowOnDuty' : 'nowOffDuty'));
    } catch (error) {
      say(wordsOf(error));
    }
    draw();
  }

  draw();
  return {button, draw};
}
