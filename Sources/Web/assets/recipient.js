// What a recipient has to do with a delivery: the link by which it is followed, and what was said there.
import {remembered} from './account.js';
import {ask, post} from './ask.js';
import {moment} from './delivery.js';
import {h, say, wordsOf} from './dom.js';
import {t} from './words.js';

/** What changes when a recipient says something, which is no step. */
export const saidMark = ({wishes = [], rating}) => `${wishes.length} ${rating?.stars ?? ''}`;

/** What the recipient wishes, and thought of it. */
export function said({wishes = [], rating}) {
  const stars = rating && t('starsOf', {stars: rating.stars});
  return [
    wishes.length && h('section', {class: 'wishes'}, h('p', {}, t('wishes')),
      h('ul', {}, wishes.map(({text, at}) => h('li', {}, h('p', {class: 'said'}, text), moment(at))))),
    rating && h('section', {class: 'rating'}, h('h3', {}, t('ratingOf')), h('p', {}, h('span', {'aria-hidden': 'true'}, '★'.repeat(rating.stars)), ' ', stars),
      rating.text && h('p', {class: 'said'}, rating.text)),
  ].filter(Boolean);
}

/** What gives the link, to be sent by hand where nothing sends it, and where it is shown then, with its end; `phone` gives the number that it goes to now. */
export function linkOf({id}, phone) {
  const path = `/v1/deliveries/${id}/tracking`;
  const shown = h('p', {class: 'link', hidden: true});

  async function open() {
    try {
      const {url} = await post(path);
      const copy = (failed) => (navigator.clipboard ? navigator.clipboard.writeText(url) : Promise.reject()).then(() => say(t('trackingCopied')), failed);
      const bySMS = () => `sms:${phone() ?? ''}?&body=${encodeURIComponent(t('trackingMessage', {store: remembered().name, url}))}`;
      shown.replaceChildren(h('a', {href: url, target: '_blank', rel: 'noreferrer'}, url), ' ',
        h('button', {type: 'button', onclick: () => copy(() => say(t('notCopied')))}, t('copyLink')), ' ',
        phone() ? h('a', {class: 'button', href: bySMS(), onclick: ({currentTarget}) => { currentTarget.href = bySMS(); }}, t('bySMS')) : '', ' ',
        h('button', {type: 'button', class: 'plain danger', onclick: close}, t('trackingEnd')));
      shown.hidden = false;
      shown.scrollIntoView({block: 'nearest'});
      await copy(() => {});
    } catch (error) {
      say(wordsOf(error));
    }
  }

  async function close() {
    try {
      await ask('DELETE', path);
      shown.hidden = true;
      say(t('trackingEnded'));
    } catch (error) {
      say(wordsOf(error));
    }
  }

  return [h('button', {type: 'button', onclick: open}, t('trackingLink')), shown];
}
