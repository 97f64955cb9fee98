// Light or dark: as the device has it, or as somebody has chosen on it. This runs before anything is seen, so that nothing is seen
// in the other one.
const ofDark = Array.from(document.styleSheets, ({cssRules}) => Array.from(cssRules)).flat()
  .filter(({media}) => media?.mediaText === '(prefers-color-scheme: dark)');

function dress() {
  const chosen = localStorage.getItem('kurir.scheme');
  // On paper everything is light.
  const when = {light: 'not all', dark: 'screen'}[chosen] ?? '(prefers-color-scheme: dark)';
  for (const {media} of ofDark) media.mediaText = when;
  document.documentElement.style.colorScheme = chosen ?? '';
}

dress();
addEventListener('storage', ({key}) => { if (key === 'kurir.scheme') dress(); });
