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
  map: later(async () => (await import('./mapview.js')).mapOf('store')),
  partners: later(async () => (await import('./partners.js')).partners),
  messages: later(async () => (await import('./messages.js')).messages),
  figures: later(async () => (await import('./figures.js')).figures),
  day: later(async () => (await import('./day.js')).day),
  news: later(async () => (await import('./news.js')).news),
  settings: later(async () => (await import('./settings.js')).settings),
}, {
  onFresh: send,
  onEvent({type}) { if (urgent.includes(type)) ring(); },
});
