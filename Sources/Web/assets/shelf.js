// Pictures that wait to be sent, kept by this browser over days without a connection: `{name, at, key, blob, file?}`, where `key` is
// that of their sending, and `file` what the server calls them since.
import {newKey} from './ask.js';

// Milliseconds after which a picture that belongs to no step was given up.
const patience = 3_600_000;
let opened;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open('kurir', 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore('pictures', {keyPath: 'name'});
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opened;
}

/** Gives the result of what `action` asks of the store, once all of it is done. */
async function within(mode, action) {
  const work = (await open()).transaction('pictures', mode);
  return new Promise((resolve, reject) => {
    const asked = action(work.objectStore('pictures'));
    work.oncomplete = () => resolve(asked?.result);
    work.onabort = work.onerror = () => reject(work.error);
  });
}

/** Keeps a picture; gives its name. */
export async function keep(blob) {
  const picture = {name: newKey(), at: Date.now(), key: newKey(), blob};
  await put(picture);
  return picture.name;
}

export const put = (picture) => within('readwrite', (pictures) => pictures.put(picture));
export const find = (name) => within('readonly', (pictures) => pictures.get(name));

export const drop = (names) => within('readwrite', (pictures) => { for (const name of names) pictures.delete(name); });

/** Drops those that nobody has come back to, but for those of the names. */
export async function dropOthers(names) {
  const kept = await within('readonly', (pictures) => pictures.getAll());
  await drop(kept.filter(({name, at}) => !names.includes(name) && at < Date.now() - patience).map(({name}) => name));
}
