// Where a courier is: who may see it, and whether this phone says so.
import {remember} from './account.js';
import {ask} from './ask.js';
import {h, panel, say} from './dom.js';
import {form} from './form.js';
import {askToLocate, leaveToLocate} from './positions.js';
import {t} from './words.js';

export function sharing(account) {
  const phone = h('div', {role: 'status', class: 'field'});
  const whom = {name: 'share_position', label: t('shareWith'), value: account.share_position, required: true,
    options: ['carrying', 'always'].map((name) => [name, t(`share_${name}`)])};

  leaveToLocate().then((leave) => {
    function draw() {
      if (!phone.isConnected) return leave.removeEventListener('change', draw);
      phone.replaceChildren(leave.state === 'prompt'
        ? h('p', {class: 'actions'}, h('button', {type: 'button', onclick: askToLocate}, t('locateHere'))) : h('p', {class: 'hint'}, t(`locate_${leave.state}`)));
    }

    leave.addEventListener('change', draw);
    draw();
  });

  async function change(values) {
    remember(Object.assign(account, await ask('PATCH', '/v1/me', values)));
    say(t('saved'));
  }

  return panel(t('whereYouAre'), h('p', {class: 'hint'}, t('whereYouAreHint')), phone, form([whom], t('save'), change));
}
