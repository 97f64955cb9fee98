// Light or dark: as the device says, or as the account that is signed in has chosen on it. This runs before anything is seen, so that
// nothing is seen in the other one.
const dark = '(prefers-color-scheme: dark)', ofDark = new Set();

function dress() {
  const kept = (key) => JSON.parse(localStorage.getItem(key)) ?? {};
  const chosen = kept('kurir.scheme')[kept('kurir.account').id];
  // Some styles come later than this.
  for (const {cssRules} of document.styleSheets) for (const {media} of cssRules) if (media?.mediaText === dark) ofDark.add(media);
  // On paper everything is light.
  for (const media of ofDark) media.mediaText = {light: 'not all', dark: 'screen'}[chosen] ?? dark;
  document.documentElement.style.colorScheme = chosen ?? '';
}

dress();
// Somebody chose, or signed in or out, here or in another tab, or another style has come.
addEventListener('dress', dress);
addEventListener('storage', dress);
