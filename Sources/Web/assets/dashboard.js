// Where stores work.
import {board, hand} from './board.js';
import {row} from './boardrow.js';
import {welcomed} from './invites.js';
import {later} from './later.js';
import {send} from './outgoing.js';
import {ringFor} from './ringing.js';
import {start} from './shell.js';

// What needs a store's hand: what it would have a mail of.
const urgent = ['delivery.stranded', 'delivery.returned', 'delivery.late', 'delivery.unaccepted', 'delivery.attempt_failed', 'cancellation.contested'];

start('store', {
  board,
  partners: later('partners', ({partners}) => partners),
  messages: later('messages', ({messages}) => messages),
  map: later('mapview', ({mapOf}) => mapOf('store', row)),
  figures: later('figures', ({figures}) => figures),
  day: later('day', ({day}) => day),
  news: later('news', ({news}) => news),
  settings: later('settings', ({settings}) => settings),
}, {
  hand, onFresh: send,
  onEvent(event) {
    if (urgent.includes(event.type)) ringFor(event);
    else if (event.type === 'partner.joined') welcomed(event.data);
  },
});
