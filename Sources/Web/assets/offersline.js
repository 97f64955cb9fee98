// What is offered to who carries something, on a phone: one line above the next step, from which the offers are pulled up.
import {distance} from './distance.js';
import {h} from './dom.js';
import {icon} from './icons.js';
import {money} from './money.js';
import {fetchedFrom} from './nearness.js';
import {farFrom} from './whereabouts.js';
import {t} from './words.js';

/** The line that leads to this section. It is not there while the offers are to be seen, and stands in what `place` finds. */
export function offersLine(section, place) {
  const words = h('span');
  const line = h('button', {type: 'button', class: 'pull', onclick() {
    section.scrollIntoView({block: 'start'});
    section.querySelector('li a, li button')?.focus({preventScroll: true});
  }}, words, icon('below'));
  let isSeen = false, count = 0;
  const show = () => { line.hidden = isSeen || !count; };
  // What the bar covers is not seen.
  new IntersectionObserver(([{isIntersecting}]) => {
    isSeen = isIntersecting;
    show();
  }, {rootMargin: '-110px 0px -150px'}).observe(section);

  return (offers) => {
    const [first] = offers.map((job) => ({job, far: farFrom(fetchedFrom(job))})).filter(({far}) => far >= 0).sort((one, other) => one.far - other.far);
    const job = first?.job ?? (offers.length === 1 && offers[0]);
    count = offers.length;
    words.textContent = [`◔ ${t('offersWait', {count})}`, first && t('nearestAt', {distance: distance(first.far)}), job.pay && money(job.pay)].filter(Boolean).join(' · ');
    show();
    const bar = place();
    if (bar && line.parentNode !== bar) bar.prepend(line);
  };
}
