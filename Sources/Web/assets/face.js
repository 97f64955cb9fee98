// What accounts show of themselves: a picture and some words.
import {remember} from './account.js';
import {ask, post} from './ask.js';
import {takePicture} from './camera.js';
import {initials} from './delivery.js';
import {h, panel, say, wordsOf} from './dom.js';
import {changes, form} from './form.js';
import {t} from './words.js';

/** A picture of somebody, or how the name begins. */
export const avatar = (name, picture) => (picture
  ? h('img', {class: 'face', src: `/v1/files/${picture}?width=320`, alt: '', loading: 'lazy'})
  : h('span', {class: 'face', 'aria-hidden': 'true'}, initials(name) || '–'));

/** What the account shows of itself, to be changed. */
export function shown(account) {
  const name = account.name ?? `${account.first_name} ${account.last_name}`;
  const picture = h('div', {class: 'faced'});
  const fields = [
    {name: 'description', label: t('aboutYou'), value: account.description, rows: 3, hint: t(`aboutYouHint_${account.kind}`)},
    ...account.kind === 'courier' ? [{name: 'public_profile', label: t('publicProfile'), type: 'checkbox', value: account.public_profile, hint: t('publicProfileHint')}] : [],
  ];

  async function change(values) {
    remember(Object.assign(account, await ask('PATCH', '/v1/me', values)));
    say(t('saved'));
    draw();
  }

  async function take() {
    const blob = await takePicture();
    if (!blob) return;
    try {
      const {id} = await post('/v1/files', blob);
      await change({picture: id});
    } catch (error) {
      say(wordsOf(error));
    }
  }

  function draw() {
    picture.replaceChildren(avatar(name, account.picture), h('p', {class: 'actions'}, h('button', {type: 'button', onclick: take}, t('takePicture')),
      account.picture ? h('button', {type: 'button', class: 'danger', onclick: () => change({picture: null}).catch((error) => say(wordsOf(error)))}, t('dropPicture')) : ''));
  }

  draw();
  return panel(t('howOthersSeeYou'), picture, form(fields, t('save'), (values) => change(changes(account, values)), {draft: 'shown'}));
}
