// Where stores work.
import {board} from './board.js';
import {figures} from './figures.js';
import {partners} from './partners.js';
import {settings} from './settings.js';
import {start} from './shell.js';

start('store', {board, partners, figures, settings});
