// A page that calls: the sound is made here, and no file is loaded for it.
const place = 'kurir.sound';
// Milliseconds within which other pages hear of the same.
const others = 5000;
let audio;

export const isLoud = () => localStorage.getItem(place) !== 'off';

export function setLoud(isLoud) {
  if (isLoud) localStorage.removeItem(place); else localStorage.setItem(place, 'off');
}

// Browsers let a page be heard only after somebody has touched it.
for (const touch of ['pointerdown', 'keydown']) {
  window.addEventListener(touch, () => {
    if (isLoud()) audio ??= new AudioContext();
    audio?.resume();
  });
}

/** Calls once for an event, in one of the pages that hear of it: the first that somebody has touched. */
export function ringFor({number}) {
  if (!isLoud() || navigator.userActivation?.hasBeenActive === false) return;
  if (!navigator.locks) return ring();
  navigator.locks.request(`kurir.ring.${number}`, {ifAvailable: true}, async (lock) => {
    if (!lock) return;
    ring();
    await new Promise((over) => setTimeout(over, others));
  });
}

/** Two notes, and the phone shakes. */
export function ring() {
  navigator.vibrate?.([180, 90, 180]);
  if (audio?.state !== 'running') return;
  note(660, 0);
  note(880, 0.18);
}

function note(pitch, after) {
  const [tone, volume, at] = [audio.createOscillator(), audio.createGain(), audio.currentTime + after];
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.0001, at);
  volume.gain.exponentialRampToValueAtTime(0.3, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.35);
  tone.connect(volume).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.4);
}
