// The account's feed: tells what happens as it happens, and when what was loaded may be out of date.
const types = [
  'delivery.created', 'delivery.updated', 'delivery.offered', 'delivery.withdrawn', 'delivery.accepted', 'delivery.taken',
  'delivery.declined', 'delivery.delivered', 'delivery.returned', 'delivery.stranded', 'delivery.cancelled',
  'partner.joined', 'partner.ended', 'invite.received',
];
const pause = 3000;

/**
 * Follows the feed until the function it gives is called. `onFresh` comes whenever there may be a gap before what comes
 * next, `onEvent` with each event, `onLive` with whether the connection stands.
 */
export function follow({onFresh, onEvent, onLive}) {
  let source, timer, over = false;

  function open() {
    clearTimeout(timer);
    if (over || source || !navigator.onLine || document.hidden) return;
    source = new EventSource('/v1/events?after=now');
    source.onopen = () => { onLive(true); onFresh(); };
    source.onerror = () => {
      onLive(false);
      // A refusal is final for the browser, but not for us.
      if (source?.readyState === EventSource.CLOSED) { close(); timer = setTimeout(open, pause); }
    };
    for (const type of types) source.addEventListener(type, (event) => onEvent(JSON.parse(event.data)));
  }

  function close() {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    onLive(false);
  }

  // A page that nobody looks at needs no connection: browsers have few for each server.
  const changed = () => (navigator.onLine && !document.hidden ? open() : close());
  const happenings = [[window, 'online'], [window, 'offline'], [document, 'visibilitychange']];
  for (const [target, name] of happenings) target.addEventListener(name, changed);
  open();
  return () => {
    over = true;
    close();
    for (const [target, name] of happenings) target.removeEventListener(name, changed);
  };
}

/** Calls `action` once things have been quiet for a moment, however often it is asked to. */
export function gathered(action, milliseconds) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
