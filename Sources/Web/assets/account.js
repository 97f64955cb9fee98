// Who is signed in: remembered here for the next visit, though the session itself is in a cookie that no script reads.
import {ask, get, post} from './ask.js';
import {h, panel} from './dom.js';
import {form} from './form.js';
import {choose, language, t} from './words.js';

const place = 'kurir.account';

export function remembered() {
  const account = JSON.parse(localStorage.getItem(place) ?? 'null');
  if (account) choose(account.language);
  return account;
}

export function remember(account) {
  localStorage.setItem(place, JSON.stringify(account));
  choose(account.language);
}

/** Forgets all that is kept here of whoever was signed in. */
export function forget() {
  for (const name of Object.keys(localStorage)) if (name.startsWith('kurir.')) localStorage.removeItem(name);
}

export async function refreshed() {
  const account = await get('/v1/me');
  remember(account);
  return account;
}

export async function signOut() {
  await ask('DELETE', '/v1/sessions/current');
  forget();
}

/** The ways in: `kind` is store or courier, `entered` gets the account, `code` is an invite's. */
export function entrance(kind, entered, {code, notice} = {}) {
  const region = h('div', {class: 'entrance'});
  const ways = {signIn, register, reset};

  function show(way) {
    const others = Object.keys(ways).filter((name) => name !== way);
    region.replaceChildren(
      h('h1', {}, t(kind === 'store' ? 'storesEntrance' : 'couriersEntrance')), notice ? h('p', {class: 'notice'}, notice) : '',
      panel(t(way), ways[way]()),
      h('p', {class: 'actions'}, others.map((name) => h('button', {type: 'button', onclick: () => show(name)}, t(name)))),
      h('p', {}, h('a', {href: kind === 'store' ? '/courier' : '/'}, t(kind === 'store' ? 'toCouriers' : 'toStores'))));
  }

  const login = kind === 'store'
    ? {name: 'email', label: t('email'), type: 'email', required: true, autocomplete: 'username'}
    : {name: 'phone', label: t('phone'), type: 'tel', required: true, autocomplete: 'username', hint: t('phoneHint')};
  const newPassword = (name) =>
    ({name, label: t('newPassword'), type: 'password', required: true, autocomplete: 'new-password', hint: t('passwordHint')});

  function welcome({account}) {
    remember(account);
    entered(account);
  }

  function signIn() {
    const password = {name: 'password', label: t('password'), type: 'password', required: true, autocomplete: 'current-password'};
    return form([login, password], t('signIn'), async (values) => welcome(await post('/v1/sessions', {...values, cookie: true})));
  }

  function register() {
    const own = kind === 'store'
      ? [{name: 'name', label: t('storeName'), required: true, autocomplete: 'organization'}, login,
        {name: 'tax_id', label: t('taxID'), required: true, inputmode: 'numeric', hint: t('taxIDHint')},
        {name: 'address', label: t('address'), required: true, autocomplete: 'street-address'},
        {name: 'phone', label: t('phone'), type: 'tel', required: true, autocomplete: 'tel'}]
      : [{name: 'first_name', label: t('firstName'), required: true, autocomplete: 'given-name'},
        {name: 'last_name', label: t('lastName'), required: true, autocomplete: 'family-name'}, login,
        {name: 'invite_code', label: t('inviteCode'), value: code, hint: t('inviteCodeHint')}];
    return form([...own, newPassword('password')], t('register'), async (values) =>
      welcome(await post(kind === 'store' ? '/v1/stores' : '/v1/couriers', {...values, language: language(), cookie: true})));
  }

  function reset() {
    const asking = form([login], t('sendCode'), async (values) => {
      await post('/v1/password_resets', values);
      const code = {name: 'code', label: t('code'), required: true, autocomplete: 'one-time-code', hint: t('codeHint')};
      asking.replaceWith(form([code, newPassword('new_password')], t('setPassword'), async (given) => {
        await ask('PUT', '/v1/password_resets', {...values, ...given});
        const {new_password: password} = given;
        welcome(await post('/v1/sessions', {...values, password, cookie: true}));
      }));
    });
    return asking;
  }

  show(code ? 'register' : 'signIn');
  return region;
}
