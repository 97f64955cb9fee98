// The camera, and pictures for a step: taken with the camera, or drawn by a finger, and made small before anything is sent.
import {h, newID, openDialog} from './dom.js';
import {icon} from './icons.js';
import {t} from './words.js';

// Pixels of the longer side: what stands on a bell can be read, and it is sent over a bad connection.
const longest = 1600;

/** A picture as a small JPEG. */
export function shrunk(source, width, height) {
  const share = Math.min(1, longest / Math.max(width, height));
  const canvas = h('canvas', {width: Math.round(width * share), height: Math.round(height * share)});
  canvas.getContext('2d').drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.8));
}

export async function shrunkFile(file) {
  const bitmap = await createImageBitmap(file);
  return shrunk(bitmap, bitmap.width, bitmap.height);
}

/** A picture of what the camera sees; `failed` is told where there is none. `stop` gives the camera back. */
export function viewfinder(failed) {
  let stream, isStopped = false;
  const video = h('video', {autoplay: true, playsinline: true, 'aria-label': t('camera')});
  video.muted = true;
  const end = (of) => { for (const track of of?.getTracks() ?? []) track.stop(); };
  const asked = navigator.mediaDevices?.getUserMedia({video: {facingMode: 'environment', width: {ideal: longest}}}) ?? Promise.reject(new Error('none'));
  asked.then((got) => {
    stream = got;
    if (isStopped) end(got); else video.srcObject = got;
  }, () => {
    video.hidden = true;
    failed();
  });
  return {video, stop() { isStopped = true; end(stream); }};
}

/** Asks for a picture, which it gives small; gives nothing if somebody thinks better of it. Where no camera may be used, one is chosen among those there are. */
export function takePicture() {
  return new Promise((resolve) => {
    const {video, stop} = viewfinder(() => {
      state.textContent = t('noCamera');
      take.hidden = true;
      choice.classList.add('main');
    });
    const finish = (picture) => { resolve(picture); dialog.close(); };
    const take = h('button', {type: 'button', class: 'main', disabled: true,
      onclick: () => shrunk(video, video.videoWidth, video.videoHeight).then(finish)}, t('takeIt'));
    const file = h('input', {type: 'file', accept: 'image/*', capture: 'environment', class: 'unseen',
      onchange: () => file.files[0] && shrunkFile(file.files[0]).then(finish, () => { state.textContent = t('noPicture'); })});
    const choice = h('label', {class: 'button'}, file, t('choosePicture'));
    const state = h('p', {class: 'hint', role: 'status'});
    const dialog = openDialog(t('takePicture'), h('div', {class: 'camera'}, video), state,
      h('p', {class: 'actions'}, take, choice));
    video.addEventListener('loadeddata', () => { take.disabled = false; });
    dialog.addEventListener('close', () => {
      stop();
      resolve(null);
    });
  });
}

/** A field for pictures, of which there may be `kept` ones already; `blobs` gives them. */
export function photos(isWanted, kept = []) {
  const id = newID();
  const taken = [];
  const shown = h('ul', {class: 'photos'});
  const verb = h('span', {}, t('takePicture'));
  const tell = () => { verb.textContent = t(taken.length ? 'anotherPicture' : 'takePicture'); };

  async function add(blob) {
    taken.push(blob);
    tell();
    const bitmap = await createImageBitmap(blob);
    const canvas = h('canvas', {width: bitmap.width * 160 / bitmap.height, height: 160, role: 'img', 'aria-label': t('picture')});
    canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const row = h('li', {}, canvas, h('button', {type: 'button', 'aria-label': t('dropPicture'), onclick() {
      taken.splice(taken.indexOf(blob), 1);
      row.remove();
      tell();
    }}, icon('close')));
    shown.append(row);
  }

  async function more() {
    const blob = await takePicture();
    if (!blob) return;
    await add(blob);
    element.dispatchEvent(new Event('input', {bubbles: true}));
  }

  const element = h('fieldset', {id, name: 'photo_ids', class: 'field'}, h('legend', {}, t('picture'), !isWanted && h('span', {class: 'hint'}, ` (${t('optional')})`)), shown,
    h('button', {type: 'button', onclick: more}, icon('camera'), verb), h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true}));
  for (const blob of kept) add(blob);
  return {element, blobs: () => taken};
}

/** A field to sign in, over what was drawn before; `blob` gives the picture, or nothing where nobody has drawn. */
export function signature(kept) {
  const id = newID();
  const canvas = h('canvas', {width: 900, height: 360, role: 'img', 'aria-label': t('signHere')});
  const pen = canvas.getContext('2d');
  let isDrawn = false, at = null;

  function clear() {
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, canvas.width, canvas.height);
    isDrawn = false;
  }

  const placeOf = ({offsetX: x, offsetY: y}) => [x * canvas.width / canvas.clientWidth, y * canvas.height / canvas.clientHeight];

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    at = placeOf(event);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!at) return;
    const to = placeOf(event);
    Object.assign(pen, {lineWidth: 6, lineCap: 'round', strokeStyle: '#161d19'});
    pen.beginPath();
    pen.moveTo(...at);
    pen.lineTo(...to);
    pen.stroke();
    at = to;
    isDrawn = true;
  });
  for (const end of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(end, () => {
      at = null;
      if (isDrawn) element.dispatchEvent(new Event('input', {bubbles: true}));
    });
  }

  const element = h('fieldset', {id, name: 'signature_id', class: 'field'}, h('legend', {}, t('signature')), canvas,
    h('button', {type: 'button', onclick: clear}, t('signAgain')), h('p', {class: 'wrong', id: `${id}-wrong`, hidden: true}));
  clear();
  if (kept) createImageBitmap(kept).then((bitmap) => { pen.drawImage(bitmap, 0, 0); isDrawn = true; });
  return {element, blob: () => (isDrawn ? new Promise((resolve) => canvas.toBlob(resolve)) : null)};
}
