// What people set of their account: profile, language, notifications, password, sessions.
import {refreshed, remember, remembered} from './account.js';
import {appearance} from './appearance.js';
import {all, ask, inTurn, Unreachable} from './ask.js';
import {chooser} from './chooser.js';
import {countries} from './countries.js';
import {grouped} from './delivery.js';
import {h, loading, openDialog, panel, say, wordsOf} from './dom.js';
import {changes, form} from './form.js';
import {signInWith} from './identity.js';
import {keys} from './keys.js';
import {modes, offerIn} from './offering.js';
import {placeField} from './placefield.js';
import {places} from './places.js';
import {shown} from './face.js';
import {pushSwitch} from './push.js';
import {sharing} from './sharing.js';
import {isLoud, ring, setLoud} from './sound.js';
import {names, t, when} from './words.js';

/**
 * What is saved is what differs from the account as it is, so that must be asked for first. Without a connection the account is
 * the one that is remembered: whoever wants to sign out must be able to.
 */
export function settings(region, context) {
  const account = () => refreshed().catch((error) => {
    if (error instanceof Unreachable || error.isPassing) return remembered();
    throw error;
  });
  loading(region, account, (account) => region.replaceChildren(...panels(account, context)));
}

function panels(account, {enter, leave, out}) {
  const sessions = h('ul', {class: 'rows'});

  async function change(values) {
    // A number is shown as it is read out.
    const changed = changes(account, values.phone ? {...values, phone: values.phone.replace(/\s/g, '')} : values);
    if (Object.keys(changed).length) remember(Object.assign(account, await ask('PATCH', '/v1/me', changed)));
    // Everything is said in the new language; nothing else is worth what may stand in the other forms.
    if (changed.language) {
      enter();
      document.querySelector('main').focus();
    }
    say(t('saved'));
  }

  const profile = account.kind === 'store'
    ? [['name', 'storeName', 'organization'], ['tax_id', 'taxID'], ['address', 'address', 'street-address'], ['phone', 'phone', 'tel', grouped]]
    : [['first_name', 'firstName', 'given-name'], ['last_name', 'lastName', 'family-name']];
  const fields = profile.map(([name, label, autocomplete, shown = (value) => value]) =>
    ({name, label: t(label), value: shown(account[name]), required: true, autocomplete}));
  if (account.country) fields.splice(1, 0, {name: 'country', label: t('country'), value: account.country, required: true, autocomplete: 'country', options: countries(account.country)});
  // Which account it is, for those who keep passwords.
  const login = h('input', {type: 'text', autocomplete: 'username', value: account.kind === 'store' ? account.email : account.phone, hidden: true, 'aria-hidden': 'true'});
  const passwords = [
    login,
    {name: 'current_password', label: t('currentPassword'), type: 'password', required: true, autocomplete: 'current-password'},
    {name: 'new_password', label: t('newPassword'), type: 'password', required: true, autocomplete: 'new-password', hint: t('passwordHint')},
  ];

  const where = account.kind === 'store' && placeField(account.location);
  const shop = account.kind === 'store' && [
    ...modes(account.offer),
    {name: 'alert_after_minutes', label: t('alertAfter'), value: account.alert_after_minutes, required: true, inputmode: 'numeric', hint: t('alertAfterHint')},
    {name: 'opening_hours', label: t('openingHours'), value: account.opening_hours, rows: 2}, h('p', {class: 'hint'}, t('storePlaceHint')), where.element,
  ];

  async function changeShop({opening_hours: hours, alert_after_minutes: minutes, ...values}) {
    const offer = offerIn({order: values['offer.order'], each_seconds: values['offer.each_seconds']});
    remember(Object.assign(account, await ask('PATCH', '/v1/me', {offer, alert_after_minutes: Number(minutes), opening_hours: hours, location: where.location()})));
    say(t('saved'));
  }

  async function changePassword(values, element) {
    await ask('PUT', '/v1/me/password', values);
    element.reset();
    say(t('passwordChanged'));
    load();
  }

  /** All that is kept, as a file: once an hour. */
  async function exportData() {
    const answer = await fetch('/v1/me/export').catch(() => null);
    if (answer?.status === 429) return say(t('exportTooSoon', {time: when(Date.now() + 1000 * Number(answer.headers.get('Retry-After')))}));
    if (!answer?.ok) return say(t(answer ? 'noGoodAnswer' : 'unreachable'));
    const href = URL.createObjectURL(await answer.blob());
    h('a', {href, download: 'kurir.json'}).click();
    URL.revokeObjectURL(href);
    return say(t('exportReady'));
  }

  /** Whoever leaves has a week to come back. */
  function deletion() {
    const password = {name: 'current_password', label: t('currentPassword'), type: 'password', required: true, autocomplete: 'current-password'};
    const dialog = openDialog(t('deleteAccount'), form([h('p', {}, t(`deleteWarning_${account.kind}`)), password], t('deleteAccount'), async (values) => {
      const {erase_at: at} = await ask('DELETE', '/v1/me', values);
      dialog.close();
      leave(t('deletedAt', {time: when(at)}));
    }, {danger: true, cancel: () => dialog.close()}));
  }

  function session({id, user_agent: agent, address, used_at: used, current}) {
    const end = async () => {
      await ask('DELETE', `/v1/sessions/${id}`).then(load, (error) => say(wordsOf(error)));
    };
    return h('li', {}, h('div', {}, h('strong', {}, agent ? deviceOf(agent) : t('unknownDevice')), h('p', {class: 'hint'}, `${address} · ${when(used)}`)),
      current ? h('span', {class: 'hint'}, t('thisDevice')) : h('button', {type: 'button', onclick: end}, t('endSession')));
  }

  const toggle = (name, isOn, change) => h('label', {class: 'choice'},
    h('input', {type: 'checkbox', checked: isOn, onchange: ({target}) => change(target.checked, target)}), h('span', {}, t(name)));

  const turn = inTurn();
  /** What is switched is so at once; `values` says how the account is then, and what was refused is as it was. */
  const switched = (name, isOn, values) => toggle(name, isOn, (isNow, box) => turn(async () => {
    try {
      remember(Object.assign(account, await ask('PATCH', '/v1/me', values(isNow))));
      say(t('saved'));
    } catch (error) {
      box.checked = !isNow;
      say(wordsOf(error));
    }
  }));
  const usual = () => [switched('tellRecipients', account.tell_recipients, (isNow) => ({tell_recipients: isNow})), h('p', {class: 'hint'}, t('tellRecipientsHint')),
    ...['pin', 'photo', 'signature'].map((name) => switched(`proof_wants_${name}`, account.proof?.[name], (isNow) => ({proof: {...account.proof, [name]: isNow}})))];
  const heard = panel(t('notifications'), switched('notifiesAll', account.notifications_enabled, (isNow) => ({notifications_enabled: isNow})),
    pushSwitch(account), toggle('sound', isLoud(), (isOn) => { setLoud(isOn); if (isOn) ring(); }));

  const load = () => loading(sessions, () => all('/v1/sessions'), (items) => sessions.replaceChildren(...items.map(session)));

  load();
  return groups([
    [`of_${account.kind}`, panel(t('profile'), form(fields, t('save'), change, {draft: 'profile'})), shown(account), places()],
    [`work_${account.kind}`, ...account.kind === 'courier' ? [sharing(account)] : [
      panel(t('usualProof'), h('p', {class: 'hint'}, t('usualProofHint')), ...usual()),
      panel(t('usualOffer'), h('p', {class: 'hint'}, t('usualOfferHint')), form(shop, t('save'), changeShop, {draft: 'shop'}))]],
    ['deviceAndLanguage', heard, panel(t('preferences'), chooser(t('language'), account.language, Object.entries(names), (language) => change({language})), appearance(account),
      account.kind === 'store' && toggle('shortcuts', keys.areOn(), keys.turn))],
    ['access', signInWith(account), panel(t('changePassword'), form(passwords, t('changePassword'), changePassword)),
      panel(t('sessions'), sessions, h('p', {class: 'actions'}, h('button', {type: 'button', onclick: out}, t('signOut')))),
      panel(t('yourData'), h('p', {class: 'hint'}, t('exportHint')),
        h('p', {class: 'actions'}, h('button', {type: 'button', onclick: exportData}, t('exportData')),
          h('button', {type: 'button', class: 'danger', onclick: deletion}, t('deleteAccount'))))],
  ]);
}

/** Parts that belong together, with a way to each of them: together they are long. */
function groups(parts) {
  const ways = h('p', {class: 'to-parts'});
  const made = parts.map(([name, ...panels]) => {
    const title = h('h2', {tabindex: '-1'}, t(name));
    const part = h('section', {}, title, h('div', {class: 'group'}, panels));
    ways.append(h('button', {type: 'button', class: 'quiet', onclick() {
      part.scrollIntoView();
      title.focus({preventScroll: true});
    }}, t(name)));
    return part;
  });
  return [ways, ...made];
}

/** A browser and its system, as people call them. */
function deviceOf(agent) {
  const browsers = [['Firefox', 'Firefox'], ['Edg', 'Edge'], ['OPR', 'Opera'], ['Chrome', 'Chrome'], ['Safari', 'Safari']];
  const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];
  const browser = browsers.find(([mark]) => agent.includes(mark))?.[1];
  const system = systems.find((name) => agent.includes(name));
  return browser && system ? `${browser}, ${system}` : agent;
}
