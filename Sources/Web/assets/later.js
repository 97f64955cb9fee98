// Views that are loaded when somebody first wants to see them, so that a page begins with little.
import {Unreachable} from './ask.js';
import {h, loading} from './dom.js';
import {whole} from './words.js';

const files = new Set();
const modules = new Map();
let styled;

/** Their style, which is asked for at once, and again by each of them where it could not be had. */
function style() {
  styled ??= new Promise((done, failed) => {
    const link = h('link', {rel: 'stylesheet', href: new URL('./later.css', import.meta.url), onload() {
      dispatchEvent(new Event('dress'));
      done();
    }, onerror() {
      link.remove();
      styled = undefined;
      failed(new Unreachable());
    }});
    document.head.append(link);
  });
  return styled;
}

style().catch(() => {});

/** A view like any other, which `choose` finds in the module of that name. */
export function later(name, choose) {
  files.add(name);
  return (region, context) => {
    const load = () => loading(region, async () => choose((await Promise.all([loaded(name), style()]))[0]), (fill) => {
      region.replaceChildren();
      delete view.onFresh;
      Object.assign(view, fill(region, context));
    });
    const view = {onFresh: load};
    load();
    return view;
  };
}

/** Has all of them at hand, now that there is a connection and nothing else to do. */
export const fetchLater = () => (window.requestIdleCallback ?? setTimeout)(() => {
  for (const name of files) loaded(name).then(() => files.delete(name), () => {});
});

/** Has a module that is no view at hand as early as the views are. */
export const soon = (name) => files.add(name);

/** What is in a module, once it and what it says are loaded. */
export async function loaded(name) {
  if (!modules.has(name)) modules.set(name, fetched(name).catch((error) => { modules.delete(name); throw error; }));
  const [module] = await Promise.all([modules.get(name), whole().catch(() => { throw new Unreachable(); })]);
  return module;
}

/** A browser does not try again to load a module that it could not load once: so it is asked for as a file before. */
async function fetched(name) {
  const file = `./${name}.js`;
  await reached(new URL(file, import.meta.url));
  return import(file).catch(async (error) => {
    // The browser may have kept the module, and not what that imports.
    await reached('/healthz');
    throw error;
  });
}

const reached = (address) => fetch(address).catch(() => { throw new Unreachable(); });
