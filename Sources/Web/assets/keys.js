// Keys for who works at a keyboard all day; they can be switched off, since some people speak to their computers.
const place = 'kurir.keys';

export const keys = {
  areOn: () => localStorage.getItem(place) !== 'off',

  turn(areOn) {
    if (areOn) localStorage.removeItem(place); else localStorage.setItem(place, 'off');
  },

  /** Calls what belongs to a key that is hit while nobody types; gives how to stop that. */
  listen(actions) {
    function hit(event) {
      const action = actions[event.key];
      const isTyping = event.target.closest?.('input, select, textarea') || event.target.closest?.('dialog')?.querySelector('form');
      if (!action || isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog:modal') || !keys.areOn()) return;
      event.preventDefault();
      action();
    }

    window.addEventListener('keydown', hit);
    return () => window.removeEventListener('keydown', hit);
  },
};
