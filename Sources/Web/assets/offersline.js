// What is offered to who carries something, on a phone: one line above the next step, from which the offers are pulled up as a sheet.
import {distance} from './distance.js';
import {h} from './dom.js';
import {icon} from './icons.js';
import {money} from './money.js';
import {fetchedFrom} from './nearness.js';
import {farFrom} from './whereabouts.js';
import {t} from './words.js';

// As later.css has it.
const isLow = matchMedia('(max-width: 40rem) and (max-height: 43rem)');

/** The line that pulls up this section. It is not there while the offers are to be seen, and stands in what `place` finds. */
export function offersLine(section, place) {
  const words = h('span');
  const line = h('button', {type: 'button', class: 'pull', onclick: pullUp}, words, icon('below'));
  const close = h('button', {type: 'button', class: 'plain push', 'aria-label': t('close'), onclick: () => section.hidePopover()}, icon('below'));
  let isSeen = false, count = 0;
  const show = () => { line.hidden = isSeen || !count; };
  // What the bars cover, and the next step, is not seen. A busy phone tells of several changes at once, the last of which is so now.
  new IntersectionObserver((changes) => {
    isSeen = changes.at(-1).isIntersecting;
    show();
  }, {rootMargin: '-61px 0px -211px'}).observe(section);

  /** A sheet over what is carried; where a browser knows none, the page goes to the offers. */
  function pullUp() {
    if (section.showPopover) {
      section.popover = 'auto';
      section.querySelector('h2').append(close);
      section.showPopover();
    } else section.scrollIntoView({block: 'start'});
    section.querySelector('li a, li button')?.focus({preventScroll: true});
  }

  section.addEventListener('toggle', ({target, newState}) => {
    if (target !== section || newState === 'open') return;
    section.popover = null;
    close.remove();
  });

  return (offers) => {
    const [first] = offers.map((job) => ({job, far: farFrom(fetchedFrom(job))})).filter(({far}) => far >= 0).sort((one, other) => one.far - other.far);
    const job = first?.job ?? (offers.length === 1 && offers[0]);
    count = offers.length;
    if (!count && section.popover) section.hidePopover();
    const said = ([number, far]) => [`◔ ${number}`, first && far, job.pay && money(job.pay)].filter(Boolean).join(' · ');
    const far = first && distance(first.far), whole = said([t('offersWait', {count}), first && t('nearestAt', {distance: far})]);
    // Where there is little room words give way, and no figure.
    words.textContent = isLow.matches ? said([count, far]) : whole;
    line.setAttribute('aria-label', whole);
    show();
    const bar = place();
    if (bar && line.parentNode !== bar) bar.prepend(line);
  };
}
