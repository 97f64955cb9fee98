// Lists that move by themselves, while somebody is about to touch what is in them.

// Milliseconds that it takes to see that something else stands where one was about to touch.
const blink = 700;

/** A touch does nothing that was meant for what stood there a moment ago: what moves is what has been there before and stays. */
export function heedMoves(list) {
  let before = [], moved = -blink;
  new MutationObserver(() => {
    const now = Array.from(list.children, ({dataset}) => dataset.key);
    if (before.some((key, at) => now.includes(key) && now.indexOf(key) !== at)) moved = performance.now();
    before = now;
  }).observe(list, {childList: true});
  list.addEventListener('click', (event) => {
    // A key's click has no place to be mistaken in.
    if (!event.detail || performance.now() - moved > blink) return;
    event.preventDefault();
    event.stopPropagation();
  }, {capture: true});
}
