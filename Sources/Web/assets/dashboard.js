// Where stores work.
import {board} from './board.js';
import {later} from './later.js';
import {send} from './outgoing.js';
import {start} from './shell.js';
import {ring} from './sound.js';

// What waits for nobody else than the store.
const urgent = ['delivery.stranded', 'delivery.returned'];

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
