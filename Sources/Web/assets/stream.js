// A stream of news without a history, which goes on whatever happens to it.

// Milliseconds after which one that was refused is asked for again.
const [shortest, longest] = [1000, 30_000];

/** Hears events by their names; `opened` is told each time that it begins, before which something may have been missed. Gives what ends it. */
export function steady(path, events, opened) {
  let stream, timer, pause = shortest;

  function open() {
    stream = new EventSource(path);
    stream.onopen = () => {
      pause = shortest;
      opened();
    };
    // Final for the browser, but not for us: the server may only be starting.
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, pause);
      pause = Math.min(2 * pause, longest);
    };
    for (const [name, hear] of Object.entries(events)) stream.addEventListener(name, ({data}) => hear(JSON.parse(data)));
  }

  open();
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}
