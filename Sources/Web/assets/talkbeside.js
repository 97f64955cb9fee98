// A conversation beside the board: who writes goes on seeing what else happens.
import {remembered} from './account.js';
import {goalOf, topics} from './bubble.js';
import {fullName} from './delivery.js';
import {h, loading, openBeside} from './dom.js';
import {talkWith, thread} from './thread.js';

/** Opens that with the courier of a delivery, to write about it. */
export function talkBeside(delivery) {
  const {id: about, courier} = delivery;
  topics.set(about, goalOf(delivery));
  const region = h('div', {class: 'open-talk'});
  const dialog = openBeside(fullName(courier), region);
  dialog.classList.add('talking');
  // What is typed is kept, so that nobody is asked whether to drop it.
  region.addEventListener('input', (event) => event.stopPropagation());
  let one;
  const hear = ({detail: {type, data}}) => one?.onEvent(type, data);
  addEventListener('heard', hear);
  dialog.addEventListener('close', () => {
    removeEventListener('heard', hear);
    one?.leave();
  });
  loading(region, () => talkWith(courier.id), (conversation) => {
    one = thread(region, conversation, {account: remembered(), about, changed() {}});
    region.querySelector('textarea')?.focus();
  });
}
