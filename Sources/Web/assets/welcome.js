// A courier's first steps, until there is a first job: for whom one delivers, and what makes a phone reach who has it in the pocket.
import {all, lasting} from './ask.js';
import {h, say, wordsOf} from './dom.js';
import {avatar} from './face.js';
import {canInstall, install, isInstalled} from './install.js';
import {askToLocate, leaveToLocate} from './positions.js';
import {standing} from './push.js';
import {drawSteps} from './steps.js';
import {acceptInvite} from './stores.js';
import {t} from './words.js';

export function welcome(account) {
  const whom = h('div'), list = h('ol', {class: 'steps'});
  const region = h('section', {class: 'panel guide'}, h('h2', {}, t('first')), whom, list);
  const over = new AbortController();
  let push, leave, isAlone = false;

  const store = ({name, address, picture}) => h('div', {class: 'faced'}, avatar(name, picture), h('p', {}, h('strong', {}, t('deliversFor', {name})), address && h('span', {class: 'hint'}, address)));
  const join = ({id, store: {name, address}, message}) => h('div', {class: 'faced'}, avatar(name), h('div', {}, h('strong', {}, t('invitesYou', {store: name})), address && h('p', {class: 'hint'}, address), message && h('p', {class: 'said'}, message)),
    h('p', {class: 'actions'}, h('button', {type: 'button', class: 'main', 'aria-label': t('joinNamed', {name}), onclick: () => acceptInvite(id).then(load)}, t('join'))));
  const nobody = () => [h('p', {}, t('noStores')), h('p', {class: 'actions'}, h('a', {class: 'button main', href: '#/stores'}, t('joinStore')))];

  /** For whom one delivers, and who asks for it. */
  async function tellWhom() {
    const [stores, invites] = await Promise.all([lasting('partners', () => all('/v1/partners')), lasting('invites', () => all('/v1/invites')).catch(() => [])]);
    const asked = invites.filter(({state}) => state === 'live');
    whom.replaceChildren(...stores.map(store), ...asked.map(join), ...stores.length || asked.length ? [] : nobody());
    isAlone = !stores.length;
    draw();
  }

  /** Asked anew whenever it may have changed elsewhere; what cannot be known now is not told. */
  async function load() {
    tellWhom().catch(() => {});
    push = await standing(account).catch(() => undefined);
    if (!leave) {
      leave = await leaveToLocate();
      leave.addEventListener('change', draw, {signal: over.signal});
      addEventListener('installable', draw, {signal: over.signal});
    }
    draw();
  }

  async function allow() {
    try {
      say(t(await push.allow() ? 'pushOn' : 'pushRefused'));
    } catch (error) {
      say(wordsOf(error));
    }
    load();
  }

  function draw() {
    // Whether it may say where it is, is not known at once.
    if (!leave) return;
    drawSteps(list, [
      push && {id: 'push', isDone: push.state === 'on', text: t(push.why ?? 'first_pushText'), verb: t('allowPush'), act: push.state === 'open' && allow},
      {id: 'place', isDone: leave.state === 'granted', text: t(leave.state === 'denied' ? 'locate_denied' : 'whereYouAreHint'), verb: t('locateHere'), act: leave.state === 'prompt' && askToLocate},
      (isInstalled() || canInstall()) && {id: 'home', isDone: isInstalled(), text: t('first_homeText'), verb: t('first_homeDo'), act: () => install().then(draw)},
    ].filter(Boolean).map((step) => ({...step, title: t(`first_${step.id}`)})), !isAlone);
  }

  load();
  return {region, load, leave: () => over.abort()};
}
