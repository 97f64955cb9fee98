// Where stores work.
import {board} from './board.js';
import {later} from './later.js';
import {send} from './outgoing.js';
import {start} from './shell.js';
import {ring} from './sound.js';

// What needs a store's hand: what it would have a mail of.
const urgent = ['delivery.stranded', 'delivery.returned', 'delivery.late', 'delivery.unaccepted', 'delivery.attempt_failed', 'cancellation.contested'];

start('store', {
  board,
  partners: later('partners', ({partners}) => partners),
  messages: later('messages', ({messages}) => messages),
  map: later('mapview', ({mapOf}) => mapOf('store')),
  figures: later('figures', ({figures}) => figures),
  day: later('day', ({day}) => day),
  news: later('news', ({news}) => news),
  settings: later('settings', ({settings}) => settings),
}, {
  onFresh: send,
  onEvent({type}) { if (urgent.includes(type)) ring(); },
});
