// The links to the views. As many as there is room for stand in the bar, and the others on a sheet. On phones the bar lies below, in the
// thumb's reach, and the sheet has the way out, too.
import {h, unpressed} from './dom.js';
import {icon} from './icons.js';
import {t} from './words.js';

const narrow = matchMedia('(max-width: 40rem)');
// How many are few enough for a thumb to hit, beside the button of the sheet.
const few = 4;

export function tabs(names, out) {
  const links = names.map((name) => h('a', {href: `#/${name}`}, icon(name), t(name)));
  const leave = h('button', {type: 'button', class: 'quiet', onclick: out}, icon('leave'), t('signOut'));
  const sheet = h('div', {class: 'sheet', id: 'sheet', popover: '', onclick: () => sheet.hidePopover(),
    ontoggle({newState}) {
      if (newState !== 'open') return;
      // Below its button, where it is no sheet of a phone.
      sheet.style.left = narrow.matches ? '' : `${Math.min(button.getBoundingClientRect().left, innerWidth - sheet.offsetWidth - 16)}px`;
      sheet.querySelector('a').focus();
    }});
  const button = h('button', {type: 'button', class: 'more-views', popovertarget: 'sheet', hidden: true}, icon('more'), t('moreViews'));
  const bar = h('nav', {'aria-label': t('navigation')}, links, button, sheet);
  let current;

  const fit = () => unpressed(bar, arrange);

  /** Moves links until the bar holds what is in it. Browsers that know no sheets have all in the bar, which scrolls. */
  function arrange() {
    if (!sheet.hidePopover) return;
    const focused = links.find((link) => link === document.activeElement);
    let shown = narrow.matches ? few : links.length;
    do {
      button.hidden = shown === links.length;
      button.before(...links.slice(0, shown));
      sheet.replaceChildren(...links.slice(shown), leave);
      shown -= 1;
    } while (shown && bar.scrollWidth > bar.clientWidth);
    button.classList.toggle('here', sheet.contains(current));
    focused?.focus();
  }

  new ResizeObserver(fit).observe(bar);

  return {
    links, bar, fit,
    /** Marks the link to the view that is shown. */
    mark(name) {
      current?.removeAttribute('aria-current');
      current = links[names.indexOf(name)];
      current.setAttribute('aria-current', 'page');
      button.classList.toggle('here', sheet.contains(current));
    },
  };
}
