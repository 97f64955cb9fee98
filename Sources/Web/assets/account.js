// Who is signed in: remembered here for the next visit, though the session itself is in a cookie that no script reads.
import {ask, get, newVisit, post} from './ask.js';
import {h, panel} from './dom.js';
import {form} from './form.js';
import {language, t} from './words.js';

const place = 'kurir.account';

export const remembered = () => JSON.parse(localStorage.getItem(place) ?? 'null');

export const remember = (account) => localStorage.setItem(place, JSON.stringify(account));

/** Forgets all that is kept here of whoever was signed in, but for what they did and nobody has heard of yet. */
export function forget() {
  newVisit();
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith('kurir.') && name !== 'kurir.outgoing') localStorage.removeItem(name);
  }
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

/** The ways in: `kind` is store or courier, `code` is an invite's, and `entered` is told whether it has made a partner. */
export function entrance(kind, entered, {code, notice} = {}) {
  const region = h('div', {class: 'entrance'});
  const ways = {signIn, register, reset};

  function show(way, isChosen) {
    const others = Object.keys(ways).filter((name) => name !== way);
    region.replaceChildren(
      h('h1', {}, t(kind === 'store' ? 'storesEntrance' : 'couriersEntrance')), notice ? h('p', {class: 'notice'}, notice) : '',
      panel(t(way), ways[way]()),
      h('p', {class: 'actions'}, others.map((name) => h('button', {type: 'button', onclick: () => show(name, true)}, t(name)))),
      h('p', {}, h('a', {href: kind === 'store' ? '/courier' : '/'}, t(kind === 'store' ? 'toCouriers' : 'toStores'))));
    if (isChosen) region.querySelector('input').focus();
  }

  const login = kind === 'store'
    ? {name: 'email', label: t('email'), type: 'email', required: true, autocomplete: 'username'}
    : {name: 'phone', label: t('phone'), type: 'tel', required: true, autocomplete: 'username', hint: t('phoneHint')};
  const newPassword = (name) =>
    ({name, label: t('newPassword'), type: 'password', required: true, autocomplete: 'new-password', hint: t('passwordHint')});

  function welcome({account}, isPartner) {
    remember(account);
    entered(isPartner);
  }

  // Left empty, it is for the server to say what is wrong with it.
  const given = (values) => ({...values, [login.name]: values[login.name] ?? ''});

  function signIn() {
    const password = {name: 'password', label: t('password'), type: 'password', required: true, autocomplete: 'current-password'};
    return form([login, password], t('signIn'), async (values) => welcome(await post('/v1/sessions', {...given(values), cookie: true})));
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
    return form([...own, newPassword('password')], t('register'), async (values) => {
      const made = await post(kind === 'store' ? '/v1/stores' : '/v1/couriers', {...values, language: language(), cookie: true});
      welcome(made, Boolean(made.partner));
    });
  }

  function reset() {
    const asking = form([login], t('sendCode'), async (values) => {
      await post('/v1/password_resets', given(values));
      enterCode(values[login.name]);
    });
    // Who went to look at the message may have to load the page anew.
    const region = h('div', {}, asking, h('p', {class: 'actions'}, h('button', {type: 'button', onclick: () =>
      enterCode(asking.elements[login.name].value)}, t('haveCode'))));

    function enterCode(value) {
      const code = {name: 'code', label: t('code'), required: true, autocomplete: 'one-time-code', hint: t('codeHint')};
      const setting = form([{...login, value}, code, newPassword('new_password')], t('setPassword'), async (filled) => {
        const whose = given({[login.name]: filled[login.name]});
        await ask('PUT', '/v1/password_resets', {...filled, ...whose});
        welcome(await post('/v1/sessions', {...whose, password: filled.new_password, cookie: true}));
      });
      region.replaceChildren(setting);
      setting.elements[value ? 'code' : login.name].focus();
    }

    return region;
  }

  show(code ? 'register' : 'signIn');
  return region;
}
