// What is under way between two who write to each other, by whom each goes to: it is what they write about.
import {all} from './ask.js';
import {goalOf} from './bubble.js';
import {h, keep} from './dom.js';
import {inTime} from './due.js';
import {gathered} from './feed.js';
import {t, when} from './words.js';

/** A line of links to what a courier carries for a store, one of whom is the account with this id. */
export function underWay({kind}, id) {
  const list = h('ul', {class: 'under-way', 'aria-label': t('status_in_progress'), hidden: true});
  const isTheirs = ({store, courier}) => (kind === 'store' ? courier : store)?.id === id;
  const link = (one) => h('li', {}, h('a', {href: `#delivery=${one.id}`, class: 'button'}, h('strong', {}, goalOf(one)), one.due_at && h('span', {class: 'hint'}, when(one.due_at))));
  const load = () => all('/v1/deliveries', {status: 'in_progress'}).then((items) => {
    const theirs = items.filter(isTheirs).sort(inTime);
    keep(list, theirs, ({version}) => version, link);
    list.hidden = !theirs.length;
  }, () => {});
  load();
  return {list, load: gathered(load, 1000)};
}
