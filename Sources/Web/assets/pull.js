// On a screen that is touched, pulling the page down loads what it shows anew.
const enough = 90;

/** Calls `refresh` whenever the page is pulled down far enough from its top; gives how to stop that. */
export function pullToRefresh(element, refresh) {
  let from = null, way = 0;

  function begin({touches: [touch]}) {
    from = scrollY <= 0 && !document.querySelector('dialog[open]') ? touch.clientY : null;
    way = 0;
  }

  function move({touches: [touch]}) {
    if (from === null) return;
    way = Math.max(0, touch.clientY - from);
    element.classList.toggle('pulled', way > enough);
  }

  function end() {
    element.classList.remove('pulled');
    if (from !== null && way > enough) refresh();
    from = null;
  }

  const listeners = [['touchstart', begin], ['touchmove', move], ['touchend', end], ['touchcancel', () => { way = 0; end(); }]];
  for (const [name, listener] of listeners) window.addEventListener(name, listener, {passive: true});
  return () => { for (const [name, listener] of listeners) window.removeEventListener(name, listener); };
}
