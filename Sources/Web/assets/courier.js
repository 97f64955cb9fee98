// Where couriers work, phones first.
import {day} from './day.js';
import {isListed} from './delivery.js';
import {say} from './dom.js';
import {jobs} from './jobs.js';
import {messages} from './messages.js';
import {mapOf} from './mapview.js';
import {news} from './news.js';
import {send} from './outgoing.js';
import {papers} from './papers.js';
import {closeNotices, standBy} from './push.js';
import {roads} from './roads.js';
import {settings} from './settings.js';
import {start} from './shell.js';
import {ring} from './sound.js';
import {stores} from './stores.js';
import {sayWhere} from './whereabouts.js';
import {t} from './words.js';

// An invite's link leads here with its code.
const invite = {code: location.hash.match(/^#invite=([\w-]+)$/)?.[1]};

standBy('courier');
sayWhere();

start('courier', {jobs, map: mapOf('courier'), road: roads, day, news, messages, stores: (region, context) => stores(region, context, invite), papers, settings}, {
  invite, onFresh: send,
  onEvent({type, delivery}) {
    if (type === 'delivery.offered') ring();
    else if (type === 'bulletin.published') say(t('newBulletin'));
    // What was offered is over for the notification once it is accepted or gone.
    else if (delivery && !(delivery.status === 'pending' && isListed(delivery))) closeNotices('courier', (id) => id === delivery.id);
  },
});
