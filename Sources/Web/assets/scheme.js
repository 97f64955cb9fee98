// Light or dark: as the device says, or as the account that is signed in has chosen on it. This runs before anything is seen, so that
// nothing is seen in the other one.
const ofDark = Array.from(document.styleSheets, ({cssRules}) => Array.from(cssRules)).flat()
  .filter(({media}) => media?.mediaText === '(prefers-color-scheme: dark)');

function dress() {
  const kept = (key) => JSON.parse(localStorage.getItem(key)) ?? {};
  const chosen = kept('kurir.scheme')[kept('kurir.account').id];
  // On paper everything is light.
  const when = {light: 'not all', dark: 'screen'}[chosen] ?? '(prefers-color-scheme: dark)';
  for (const {media} of ofDark) media.mediaText = when;
  document.documentElement.style.colorScheme = chosen ?? '';
}

dress();
// Somebody chose, or signed in or out, here or in another tab.
addEventListener('dress', dress);
addEventListener('storage', dress);
