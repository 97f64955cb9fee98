// Where couriers work, phones first.
import {jobs} from './jobs.js';
import {settings} from './settings.js';
import {start} from './shell.js';
import {stores} from './stores.js';

// An invite's link leads here with its code.
const code = location.hash.match(/^#invite=([\w-]+)$/)?.[1];
if (code && localStorage.getItem('kurir.account')) history.replaceState(null, '', `#/stores`);

// The names of scripts are ours alone.
const policy = window.trustedTypes?.createPolicy('kurir', {createScriptURL: (url) => url});
navigator.serviceWorker?.register(policy ? policy.createScriptURL('/worker.js') : '/worker.js', {scope: '/courier'});

start('courier', {jobs, stores: (region, context) => stores(region, context, code), settings}, code);
