// Where couriers work, phones first.
import {isListed} from './delivery.js';
import {say} from './dom.js';
import './install.js';
import {hand, jobs} from './jobs.js';
import {later} from './later.js';
import {send} from './outgoing.js';
import {closeNotices, standBy} from './push.js';
import {ringFor} from './ringing.js';
import {start} from './shell.js';
import {sayWhere} from './whereabouts.js';
import {t} from './words.js';

// An invite's link leads here with its code.
const invite = {code: location.hash.match(/^#invite=([\w-]+)$/)?.[1]};

// Where it cannot be loaded now, the next visit tries again.
standBy('courier')?.catch(() => {});
sayWhere();

start('courier', {
  jobs,
  map: later('mapview', ({mapOf}) => mapOf('courier')),
  messages: later('messages', ({messages}) => messages),
  road: later('roads', ({roads}) => roads),
  earnings: later('ownfigures', ({earnings}) => earnings),
  day: later('day', ({day}) => day),
  news: later('news', ({news}) => news),
  stores: later('stores', ({stores}) => (region, context) => stores(region, context, invite)),
  papers: later('papers', ({papers}) => papers),
  settings: later('settings', ({settings}) => settings),
}, {
  hand, invite, onFresh: send,
  onEvent(event) {
    const {type, delivery} = event;
    if (type === 'delivery.offered') ringFor(event);
    else if (type === 'bulletin.published') say(t('newBulletin'));
    // An offer is over once it is accepted or gone, whatever is shown here.
    else if (delivery && !(delivery.status === 'pending' && isListed(delivery))) closeNotices(['delivery_offered'], ({delivery_id: id}) => id === delivery.id);
  },
});
