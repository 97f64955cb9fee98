// The account's feed: tells what happens as it happens, and when what was loaded may be out of date.
import {get, thisVisit} from './ask.js';
import {eventTypes} from './lifecycle.js';

const shortest = 1000;
const longest = 30_000;
// The server says something every 15 seconds.
const silence = 40_000;

/**
 * Follows the feed until the function it gives is called. `onFresh` comes whenever there may be a gap before what comes
 * next, `onEvent` with each event, `onLive` with whether the connection stands. Pages with a `name` in common share one
 * connection, which stays while nobody looks at them.
 */
export function follow(to, name) {
  return name && navigator.locks && window.BroadcastChannel ? share(to, `kurir.feed.${name}`) : stream(to, {});
}

/** One of the pages has the connection and passes on what comes; when it is gone, another one takes its place. */
function share(to, name) {
  const channel = new BroadcastChannel(name);
  const leaving = new AbortController();
  let isLive = false, end = () => {};

  const both = (what) => (value) => {
    if (what === 'onLive') isLive = value;
    to[what](value);
    channel.postMessage([what, value]);
  };
  channel.onmessage = ({data: [what, value]}) => {
    if (what !== 'who') to[what](value); else if (isLive) channel.postMessage(['onLive', true]);
  };
  channel.postMessage(['who']);
  navigator.locks.request(name, {signal: leaving.signal}, () => new Promise((gone) => {
    const stop = stream({onFresh: both('onFresh'), onEvent: both('onEvent'), onLive: both('onLive')}, {isLasting: true});
    end = () => { stop(); gone(); };
  })).catch(() => {});
  return () => {
    channel.onmessage = null;
    leaving.abort();
    end();
    channel.close();
  };
}

function stream({onFresh, onEvent, onLive}, {isLasting}) {
  let source, timer, watch, pause = shortest;
  const isUnseen = () => document.hidden && !isLasting;

  function open() {
    clearTimeout(timer);
    if (source || isUnseen()) return;
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

  // A page that nobody looks at needs no connection of its own: browsers have few for each server.
  const seen = () => (isUnseen() ? close() : open());
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
  let timer, asker;
  return () => {
    asker = thisVisit();
    timer ??= setTimeout(() => {
      timer = undefined;
      // Whoever wanted it may have left.
      if (asker === thisVisit()) action();
    }, milliseconds);
  };
}
