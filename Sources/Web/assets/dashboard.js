// Where stores work.
import {board} from './board.js';
import {day} from './day.js';
import {figures} from './figures.js';
import {mapOf} from './mapview.js';
import {messages} from './messages.js';
import {news} from './news.js';
import {send} from './outgoing.js';
import {partners} from './partners.js';
import {settings} from './settings.js';
import {start} from './shell.js';
import {ring} from './sound.js';

// What waits for nobody else than the store.
const urgent = ['delivery.stranded', 'delivery.returned'];

start('store', {board, map: mapOf('store'), partners, messages, figures, day, news, settings}, {
  onFresh: send,
  onEvent({type}) { if (urgent.includes(type)) ring(); },
});
