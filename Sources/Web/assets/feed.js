// The account's feed: tells what happens as it happens, and when what was loaded may be out of date.
import {get} from './ask.js';
import {eventTypes} from './lifecycle.js';

const shortest = 1000;
const longest = 30_000;
// The server says something every 15 seconds.
const silence = 40_000;

/**
 * Follows the feed until the function it gives is called. `onFresh` comes whenever there may be a gap before what comes
 * next, `onEvent` with each event, `onLive` with whether the connection stands.
 */
export function follow({onFresh, onEvent, onLive}) {
  let source, timer, watch, pause = shortest;

  function open() {
    clearTimeout(timer);
    if (source || document.hidden) return;
    source = new EventSource('/v1/events?after=now');
    source.onopen = () => { pause = shortest; heard(); onLive(true); onFresh(); };
    source.onerror = () => {
      onLive(false);
      if (source?.readyState === EventSource.CLOSED) refused();
    };
    source.addEventListener('alive', heard);
    for (const type of eventTypes) source.addEventListener(type, (event) => { heard(); onEvent(JSON.parse(event.data)); });
    heard();
  }

  /** A connection that says nothing for long is none, though nobody has closed it. */
  function heard() {
    clearTimeout(watch);
    watch = setTimeout(() => { close(); open(); }, silence);
  }

  /** Final for the browser, but not for us, unless the session is over, which this question finds out. */
  function refused() {
    close();
    get('/v1/me').catch(() => {});
    timer = setTimeout(open, pause);
    pause = Math.min(2 * pause, longest);
  }

  function close() {
    clearTimeout(timer);
    clearTimeout(watch);
    source?.close();
    source = undefined;
    onLive(false);
  }

  // A page that nobody looks at needs no connection: browsers have few for each server.
  const seen = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', seen);
  window.addEventListener('offline', close);
  window.addEventListener('online', open);
  open();
  return () => {
    close();
    document.removeEventListener('visibilitychange', seen);
    window.removeEventListener('offline', close);
    window.removeEventListener('online', open);
  };
}

/** Calls `action` a moment after it is asked to, once for all that ask within it. */
export function gathered(action, milliseconds) {
  let timer;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      action();
    }, milliseconds);
  };
}
