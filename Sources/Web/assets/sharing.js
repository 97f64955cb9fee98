// Where a courier is: who may see it, and whether this phone says so.
import {remember} from './account.js';
import {ask} from './ask.js';
import {chooser} from './chooser.js';
import {h, panel, say} from './dom.js';
import {askToLocate, leaveToLocate} from './positions.js';
import {t} from './words.js';

const asking = () => h('button', {type: 'button', onclick: askToLocate}, t('locateHere'));

/** Tells whether this phone may say where it is, and whenever that changes, as long as `element` is on the page. */
function heed(element, tell) {
  leaveToLocate().then((leave) => {
    function changed() {
      if (element.isConnected) tell(leave.state); else leave.removeEventListener('change', changed);
    }

    leave.addEventListener('change', changed);
    changed();
  });
}

/** A line that says so while nobody can see where the phone is, with what there is to do about it. */
export function silence() {
  const line = h('p', {class: 'silence', hidden: true});
  heed(line, (state) => {
    line.hidden = state === 'granted';
    line.replaceChildren(h('span', {}, t('nobodySeesYou')), state === 'prompt' ? asking() : h('a', {class: 'button', href: '#/settings'}, t('settings')));
  });
  return line;
}

export function sharing(account) {
  const phone = h('div', {role: 'status', class: 'field'});

  heed(phone, (state) => phone.replaceChildren(state === 'prompt' ? h('p', {class: 'actions'}, asking()) : h('p', {class: 'hint'}, t(`locate_${state}`))));

  async function change(whom) {
    remember(Object.assign(account, await ask('PATCH', '/v1/me', {share_position: whom})));
    say(t('saved'));
  }

  return panel(t('whereYouAre'), h('p', {class: 'hint'}, t('whereYouAreHint')), phone,
    chooser(t('shareWith'), account.share_position, ['carrying', 'always'].map((name) => [name, t(`share_${name}`)]), change));
}
