// Views that are loaded when somebody first wants to see them, so that a page begins with little.
import {loading} from './dom.js';

/** A view like any other, of which `load` gives the function. */
export const later = (load) => (region, context) => {
  let isLeft = false;
  const view = {leave() { isLeft = true; }};
  loading(region, load, (fill) => {
    region.replaceChildren();
    if (!isLeft) Object.assign(view, fill(region, context));
  });
  return view;
};
