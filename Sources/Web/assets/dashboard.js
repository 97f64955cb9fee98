// Where stores work.
import {board} from './board.js';
import {figures} from './figures.js';
import {mapOf} from './mapview.js';
import {news} from './news.js';
import {partners} from './partners.js';
import {settings} from './settings.js';
import {start} from './shell.js';
import {ring} from './sound.js';

// What waits for nobody else than the store.
const urgent = ['delivery.stranded', 'delivery.returned'];

start('store', {board, map: mapOf('store'), partners, figures, news, settings}, {
  onEvent({type}) { if (urgent.includes(type)) ring(); },
});
