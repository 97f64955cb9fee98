// Who is signed in: remembered here for the next visit, though the session itself is in a cookie that no script reads.
import {ask, get, newVisit, post} from './ask.js';
import {countries} from './countries.js';
import {h, panel, say} from './dom.js';
import {form} from './form.js';
import {forgetNotices} from './push.js';
import {choose, language, load, names, preferred, t} from './words.js';

const place = 'kurir.account';
// That a session was left, and may not have ended yet.
const leaving = 'kurir.leaving';
// What stays on the device whoever is signed in: what nobody has heard of yet, whether it is to be told, and what it looks like.
const lasting = [leaving, 'kurir.outgoing', 'kurir.device', 'kurir.scheme', 'kurir.backgrounds', preferred];

export const remembered = () => JSON.parse(localStorage.getItem(place) ?? 'null');

export const remember = (account) => localStorage.setItem(place, JSON.stringify(account));

/** Forgets all that is kept here of whoever was signed in. */
export function forget() {
  newVisit();
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith('kurir.') && !lasting.includes(name)) localStorage.removeItem(name);
  }
  forgetNotices().catch(() => {});
}

export async function refreshed() {
  const account = await get('/v1/me');
  remember(account);
  return account;
}

/** Forgets at once; the session ends as soon as there is a connection, and with it the device's notifications. */
export function signOut(device) {
  localStorage.setItem(leaving, device ? `?${new URLSearchParams({device})}` : '?');
  forget();
  endLeft();
}

const alone = (action) => (navigator.locks ? navigator.locks.request(leaving, action) : action());

/** Ends a session that was left. In one tab only, and before another session begins, which has the same cookie. */
export function endLeft() {
  return alone(async () => {
    const query = localStorage.getItem(leaving);
    if (!query) return;
    const left = await fetch(`/v1/sessions/current${query}`, {method: 'DELETE', headers: {'X-Requested-With': 'kurir'}}).catch(() => null);
    if (!left || left.status >= 500 || left.status === 429) return leaveToWorker(query);
    localStorage.removeItem(leaving);
    await window.caches?.delete(leaving);
  });
}

/** The service worker ends it, where there is one that may work later, also if no page is open then. */
async function leaveToWorker(query) {
  const worker = await navigator.serviceWorker?.getRegistration();
  if (!worker?.sync) return;
  await (await caches.open(leaving)).put('/', new Response(query));
  await worker.sync.register(leaving).catch(() => {});
}

async function begin(path, values) {
  await endLeft();
  return post(path, {...values, cookie: true});
}

/**
 * The ways in: `kind` is store or courier, `code` is an invite's, `forgotten` is what a link for a new password brings, and
 * `entered` is told whether the code has made a partner, and whether the account is new.
 */
export function entrance(kind, entered, {code, notice, forgotten} = {}) {
  const entry = h('div', {class: `entrance of-${kind}`});
  const ways = {signIn, register, reset};
  // Who comes by an invite joins; an account is what it takes.
  const registering = code ? 'invite_here' : 'register';
  let login, inviter, spoken;
  // Nothing is missed where nobody knows who invites.
  if (code) get(`/i/${code}/inviter`).then(({store}) => { inviter = store; greet(); }, () => {});

  /** Says whose door it is, or who invites. */
  function greet() {
    const [title, promise] = kind === 'store' ? ['storesEntrance', 'storesPromise'] : ['couriersEntrance', 'couriersPromise'];
    entry.querySelector('h1').textContent = inviter ? t('invitesYou', {store: inviter}) : t(title);
    entry.querySelector('.promise').textContent = t(inviter ? 'invite_means' : promise);
  }

  function show(way, isChosen) {
    // What one signs in with is typed once, whichever way one takes then.
    const value = login && entry.querySelector(`[name=${login.name}]`)?.value;
    login = kind === 'store'
      ? {name: 'email', label: t('email'), type: 'email', value, required: true, autocomplete: 'username'}
      : {name: 'phone', label: t('phone'), type: 'tel', value, required: true, autocomplete: 'username', hint: t('phoneHint')};
    const to = (name, style) => h('button', {type: 'button', class: style, onclick: () => show(name, true)}, t(name));
    entry.dataset.way = way;
    entry.replaceChildren(
      h('span', {class: 'tongues', role: 'group', 'aria-label': t('language')}, Object.entries(names).map(([tongue, name]) => h('button', {type: 'button', class: 'quiet', lang: tongue,
        'aria-pressed': String(tongue === language()), onclick: () => speak(tongue, way)}, name))),
      h('h1'), h('p', {class: 'promise'}), way === 'register' && !code ? h('ol', {class: 'intro'}, kind === 'store' ? ['offer', 'accept', 'know'].map((step) => h('li', {}, h('h2', {}, t(`how_${step}`)), h('p', {}, t(`how_${step}Text`))))
        : ['choose', 'know', 'when'].map((gain) => h('li', {}, h('p', {class: 'gain'}, t(`invite_${gain}`))))) : '',
      notice ? h('p', {class: 'notice'}, notice) : '',
      panel(t(way === 'register' ? registering : way), ways[way](), way === 'signIn' && h('p', {class: 'beneath'}, to('reset', 'quiet'))),
      h('p', {class: 'instead'}, t(way === 'signIn' ? 'newHere' : 'knownHere'), ' ', to(way === 'signIn' ? 'register' : 'signIn')),
      h('p', {class: 'elsewhere'}, h('a', {href: kind === 'store' ? '/courier' : '/store'}, t(kind === 'store' ? 'toCouriers' : 'toStores'))));
    greet();
    if (isChosen) entry.querySelector('input').focus();
  }

  /** Goes on in another language, also at the next visit; what was typed stays. */
  async function speak(tongue, way) {
    try {
      // A module that could not be loaded once is not tried again, a file is.
      const file = await fetch(new URL(`./language-${tongue}.js`, import.meta.url));
      if (!file.ok) throw new Error(file.status);
      await load(tongue);
    } catch {
      return say(t('unreachable'));
    }
    // Somebody may have signed in meanwhile, who reads another one.
    if (!entry.isConnected) return undefined;
    choose(tongue);
    spoken = tongue;
    notice = undefined;
    localStorage.setItem(preferred, language());
    history.replaceState(null, '', location.pathname + location.hash);
    show(way);
    return entry.querySelector('[aria-pressed=true]').focus();
  }

  const newPassword = (name, label = t('newPassword')) =>
    ({name, label, type: 'password', required: true, autocomplete: 'new-password', hint: t('passwordHint')});

  async function welcome({account}, {isPartner = false, isNew = false} = {}) {
    remember(account);
    // Who has just chosen a language reads that from now on; in another one it goes on, too.
    if (spoken && account.language !== spoken) await ask('PATCH', '/v1/me', {language: spoken}).then(remember, () => {});
    entered(isPartner, isNew);
  }

  // Left empty, it is for the server to say what is wrong with it.
  const given = (values) => ({...values, [login.name]: values[login.name] ?? ''});

  function signIn() {
    const password = {name: 'password', label: t('password'), type: 'password', required: true, autocomplete: 'current-password'};
    return form([login, password], t('signIn'), async (values) => welcome(await begin('/v1/sessions', given(values))), {draft: 'signIn'});
  }

  function register() {
    const password = newPassword('password', t('password'));
    const invite = {name: 'invite_code', label: t('inviteCode'), value: code, hint: t('inviteCodeHint')};
    const fields = kind === 'store'
      ? [{name: 'name', label: t('storeName'), required: true, autocomplete: 'organization'}, login,
        {name: 'country', label: t('country'), value: 'HR', required: true, autocomplete: 'country', options: countries()},
        {name: 'tax_id', label: t('taxID'), required: true, inputmode: 'numeric', hint: t('taxIDHint')},
        {name: 'address', label: t('address'), required: true, autocomplete: 'street-address'},
        {name: 'phone', label: t('phone'), type: 'tel', required: true, autocomplete: 'tel', hint: t('phoneHint')}, password]
      : [{name: 'first_name', label: t('firstName'), required: true, autocomplete: 'given-name'},
        {name: 'last_name', label: t('lastName'), required: true, autocomplete: 'family-name'}, login,
        // Who comes by an invite has its code already.
        ...code ? [password, {fold: `${t('inviteCode')}: ${code}`, fields: [invite]}] : [invite, password]];
    return form(fields, t(registering), async (values) => {
      const made = await begin(kind === 'store' ? '/v1/stores' : '/v1/couriers', {...values, language: language()});
      await welcome(made, {isPartner: Boolean(made.partner), isNew: true});
    }, {draft: 'register'});
  }

  function reset() {
    const asking = form([login], t('sendCode'), async (values) => {
      const {reset_id: id, is_live: isLive} = await post('/v1/password_resets', given(values));
      enterCode(values[login.name], {id, isLive});
    });
    // Who went to look at the message may have to load the page anew.
    const region = h('div', {}, asking, h('p', {class: 'beneath'}, h('button', {type: 'button', class: 'quiet', onclick: () =>
      enterCode(asking.elements[login.name].value)}, t('haveCode'))));

    /** With the id of what was asked for only its code is taken, and nobody else's tries count. */
    function enterCode(value, {id, digits, isLive = true} = {}) {
      const code = {name: 'code', label: t('code'), required: true, autocomplete: 'one-time-code', inputmode: 'numeric', value: digits,
        hint: t('codeHint')};
      // A link says what was asked for, but not by whom.
      const fields = [...(digits ? [] : [{...login, value}]), code, newPassword('new_password')];
      const setting = form(fields, t('setPassword'), async (filled) => {
        const whose = digits ? {} : given({[login.name]: filled[login.name]});
        await ask('PUT', '/v1/password_resets', {...filled, ...whose, reset_id: id && whose[login.name] === value ? id : undefined});
        if (digits) return again(t('passwordSet'));
        await welcome(await begin('/v1/sessions', {...whose, password: filled.new_password}));
      });
      // What was asked for belongs to this form, which is not made anew from here on.
      entry.querySelector('.tongues').hidden = true;
      region.replaceChildren(isLive ? '' : h('p', {class: 'notice'}, t(`waits_${login.name}`)), setting);
      setting.elements[digits ? 'new_password' : value ? 'code' : login.name].focus();
    }

    if (forgotten?.id) setTimeout(() => enterCode(undefined, forgotten));
    return region;
  }

  function again(text) {
    notice = text;
    forgotten = undefined;
    show('signIn', true);
  }

  // Who comes by the start page's door is mostly new.
  show(forgotten ? 'reset' : code || location.hash === '#new' ? 'register' : 'signIn');
  endLeft();
  return entry;
}
