// Pictures that wait to be sent, kept by this browser over days without a connection: `{name, key, blob, file?}`, where `key` is that
// of their sending, and `file` what the server calls them since.
import {newKey} from './ask.js';

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
  const picture = {name: newKey(), key: newKey(), blob};
  await put(picture);
  return picture.name;
}

export const put = (picture) => within('readwrite', (pictures) => pictures.put(picture));
export const find = (name) => within('readonly', (pictures) => pictures.get(name));

/** Drops all but those of the names. */
export async function dropOthers(names) {
  const kept = await within('readonly', (pictures) => pictures.getAllKeys());
  await within('readwrite', (pictures) => { for (const name of kept) if (!names.includes(name)) pictures.delete(name); });
}
