// What one wants of a conversation: that it is quiet, or gone, or looks like this.
import {ask} from './ask.js';
import {h, openDialog, say, wordsOf} from './dom.js';
import {t} from './words.js';

const backgrounds = 6;
const place = 'kurir.backgrounds';

const kept = () => JSON.parse(localStorage.getItem(place) ?? '{}');
const chosen = (id) => kept()[id] ?? 0;

/** The background that was chosen for a conversation. */
export const groundOf = (id) => `ground-${chosen(id)}`;

/** Asks what is wanted; `done` is told when it has changed, and `dress` when another background is chosen. */
export function wishes(conversation, {name, kind, done, dress}) {
  const {id, muted, blocked} = conversation;
  const button = (label, act, style = '') => h('button', {type: 'button', class: style, onclick: async () => {
    dialog.close();
    try {
      await act();
      done();
    } catch (error) {
      say(wordsOf(error));
    }
  }}, t(label));
  const change = (values) => async () => { Object.assign(conversation, await ask('PATCH', `/v1/conversations/${id}`, values)); };
  const ground = (_, number) => h('button', {type: 'button', class: `ground-${number}`, 'aria-label': t('backgroundNumber', {number: number + 1}),
    'aria-pressed': String(chosen(id) === number), onclick() {
      localStorage.setItem(place, JSON.stringify({...kept(), [id]: number}));
      dress();
      dialog.close();
    }});
  const dialog = openDialog(name, h('p', {class: 'actions'}, button(muted ? 'unmute' : 'mute', change({muted: !muted})),
    button('putTalkAway', async () => {
      await ask('DELETE', `/v1/conversations/${id}`);
      location.hash = '#/messages';
    }),
    kind === 'courier' && button(blocked ? 'unblock' : 'block', change({blocked: !blocked}), 'danger')),
  h('fieldset', {}, h('legend', {}, t('background')), h('div', {class: 'grounds'}, Array.from({length: backgrounds}, ground))));
}
