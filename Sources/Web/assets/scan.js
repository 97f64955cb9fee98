// Codes that a camera sees: read by the browser where it can, else by the server, which keeps no picture.
import {inTurn, post, Refusal} from './ask.js';
import {shrunk, shrunkFile, viewfinder} from './camera.js';
import {h, openDialog, wordsOf} from './dom.js';
import {icon} from './icons.js';
import {t} from './words.js';

// What the server takes as it is: a picture in bad light is worse when it is made anew.
const taken = {most: 5 << 20, types: ['image/jpeg', 'image/png', 'image/webp']};
const whole = (file) => (file.size <= taken.most && taken.types.includes(file.type) ? file : shrunkFile(file));
// Milliseconds between two looks. The server is asked more rarely than the browser.
const pause = {browser: 150, server: 700};

// The server looks at one picture of an account at a time.
const line = inTurn();

let detector;

/** The browser's own reader, if it has one that knows the usual codes. */
function ownReader() {
  detector ??= (async () => {
    const formats = await window.BarcodeDetector?.getSupportedFormats() ?? [];
    return formats.includes('qr_code') ? new window.BarcodeDetector({formats}) : null;
  })();
  return detector.catch(() => null);
}

/** What the browser's own reader reads; one that fails is not asked again. */
const readBy = (reader, bitmap) => reader.detect(bitmap).then((codes) => codes.map(({rawValue}) => rawValue), () => {
  detector = Promise.resolve(null);
});

/** The texts of the codes in a picture. */
async function codesIn(picture) {
  const reader = await ownReader();
  const own = reader && await createImageBitmap(picture).then((bitmap) => readBy(reader, bitmap));
  if (own) return own;
  try {
    return (await line(() => post('/v1/scans', picture))).codes.map(({text}) => text);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no_code') return [];
    throw error;
  }
}

/**
 * Looks for a code with the camera, or in a picture that somebody has. Gives what `read` makes of its text, or nothing if somebody
 * thinks better of it; of a code of which `read` makes nothing one is told.
 */
export function scanCode(title, read = (text) => text) {
  return new Promise((resolve) => {
    let isOver = false;
    const state = h('p', {class: 'hint', role: 'status'}, t('scanHint'));
    const {video, stop} = viewfinder(() => { state.textContent = t('noCamera'); });
    const file = h('input', {type: 'file', accept: 'image/*', class: 'unseen', onchange: () => file.files[0] && fromPicture(file.files[0])});
    const dialog = openDialog(title, h('div', {class: 'camera'}, video), state,
      h('p', {class: 'actions'}, h('label', {class: 'button'}, file, t('scanPicture'))));
    dialog.classList.add('scanning');

    /** Whether that was what was looked for. */
    function take(texts) {
      if (isOver) return true;
      const value = texts.map(read).find((found) => found !== undefined && found !== null);
      if (value === undefined) {
        if (texts.length) state.textContent = t('otherCode');
        return false;
      }
      resolve(value);
      dialog.close();
      return true;
    }

    async function fromPicture(chosen) {
      state.textContent = t('loading');
      try {
        const texts = await codesIn(await whole(chosen));
        if (!take(texts) && !texts.length) state.textContent = t('noCodeInPicture');
      } catch (error) {
        state.textContent = error instanceof DOMException ? t('noPicture') : wordsOf(error);
      }
      // The same one can be chosen again.
      file.value = '';
    }

    async function look() {
      if (isOver) return;
      let wait = pause[await ownReader() ? 'browser' : 'server'];
      try {
        if (video.videoWidth && take(await codesIn(await shrunk(video, video.videoWidth, video.videoHeight)))) return;
      } catch (error) {
        state.textContent = wordsOf(error);
        wait = 1000 * (error.retryAfter ?? 2);
      }
      setTimeout(look, wait);
    }

    dialog.addEventListener('close', () => {
      isOver = true;
      stop();
      resolve(undefined);
    });
    look();
  });
}

/** A button that scans a code into a form's field. */
export const scanInto = (field, title, read) => h('p', {class: 'scan'}, h('button', {type: 'button', async onclick({currentTarget: button}) {
  const {form} = button;
  const value = await scanCode(title, read);
  if (value === undefined) return;
  form.elements[field].value = value;
  form.elements[field].dispatchEvent(new Event('input', {bubbles: true}));
  form.elements[field].focus();
}}, icon('scan'), title));

/** What is meant by a scanned text: an invite's code, a delivery of a slip, a PIN. */
export const inviteIn = (text) => text.match(/(?:^|\/i\/)([0-9a-z]{5}-?[0-9a-z]{5})$/i)?.[1].toUpperCase();
export const deliveryIn = (text) => text.match(/\/courier#delivery=([\w-]{36})$/)?.[1];
export const pinIn = (text) => text.match(/^\d{4}$/)?.[0];
