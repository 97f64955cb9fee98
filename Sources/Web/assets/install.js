// The page as an app of its own. A browser that can make it one says so once, soon after the page was opened.
let offer;

addEventListener('beforeinstallprompt', (event) => {
  offer = event;
  dispatchEvent(new Event('installable'));
});

export const isInstalled = () => matchMedia('(display-mode: standalone)').matches || navigator.standalone === true;

export const canInstall = () => Boolean(offer);

/** Asks the browser's own question, which it answers once. */
export async function install() {
  const asked = offer;
  offer = undefined;
  await asked.prompt();
  await asked.userChoice;
}
