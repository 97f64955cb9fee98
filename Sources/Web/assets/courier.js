// Where couriers work, phones first.
import {jobs} from './jobs.js';
import {send} from './outgoing.js';
import {settings} from './settings.js';
import {start} from './shell.js';
import {stores} from './stores.js';

// An invite's link leads here with its code.
const invite = {code: location.hash.match(/^#invite=([\w-]+)$/)?.[1]};

// Browsers that refuse texts as addresses of scripts take them from here.
const policy = window.trustedTypes?.createPolicy('kurir', {createScriptURL: (url) => url});
navigator.serviceWorker?.register(policy ? policy.createScriptURL('/worker.js') : '/worker.js', {scope: '/courier'});

start('courier', {jobs, stores: (region, context) => stores(region, context, invite), settings}, {invite, onFresh: send});
