// A courier's papers: what they are worth now, how they come in, and with whom they are shared.
import {all, ask, get, inTurn, lasting, post} from './ask.js';
import {facts} from './delivery.js';
import {confirmed, fill, h, loading, openDialog, panel, say, wordsOf} from './dom.js';
import {form} from './form.js';
import {icon} from './icons.js';
import {scanCode} from './scan.js';
import {dayOf, t, when} from './words.js';

// Whether papers stay readable on this device, and where.
const keeping = 'kurir.papers';
const kept = 'kurir.last.papers';
const isCertificate = (raw) => raw?.startsWith('HC1:');
const kinds = ['licence', 'insurance', 'health', 'other'];

export function papers(region) {
  const list = h('ul', {class: 'rows'});
  const unreadable = h('p', {class: 'warning', hidden: true});
  const sharing = inTurn();
  let items = [], isValidOnly = false;

  async function asked() {
    // `all` would leave out what the last page says besides.
    const page = await get('/v1/me/credentials', {limit: 200});
    return {items: page.items, unreadable: page.unreadable};
  }

  async function known() {
    const found = await (localStorage.getItem(keeping) ? lasting('papers', asked) : asked());
    // Somebody may have thought better of it meanwhile.
    if (!localStorage.getItem(keeping)) localStorage.removeItem(kept);
    return found;
  }

  const load = () => loading(list, known, (found) => {
    items = found.items.map(current);
    unreadable.hidden = !found.unreadable;
    unreadable.textContent = t('unreadablePapers', {count: found.unreadable});
    draw();
  });

  function draw() {
    which.hidden = items.length < 2;
    const shown = isValidOnly ? items.filter(({state}) => state === 'valid') : items;
    if (shown.length || !items.length) return fill(list, shown, row, 'noPapers');
    list.replaceChildren(h('li', {class: 'hint'}, t('noValidPapers'), h('button', {type: 'button', onclick: () => only(false)}, t('showAll'))));
  }

  function only(isValid) {
    isValidOnly = isValid;
    for (const control of which.querySelectorAll('input')) control.checked = (control.value === 'valid') === isValid;
    draw();
  }

  const row = (paper) => h('li', {class: paper.state === 'valid' ? 'paper' : 'paper not'}, h('div', {}, h('strong', {}, nameOf(paper)),
    h('p', {}, stateOf(paper)), h('p', {class: 'hint'}, [paper.holder, termOf(paper)].filter(Boolean).join(' · '))),
  h('button', {type: 'button', 'aria-label': `${t('details')}: ${nameOf(paper)}`, onclick: () => look(paper)}, t('details')));

  async function look(paper) {
    const stores = h('div', {class: 'choices'});
    const remove = async () => {
      if (!(await confirmed(t('deletePaper', {name: nameOf(paper)}), t('deletePaperWarning'), t('deletePlaceShort')))) return;
      await change(() => ask('DELETE', `/v1/me/credentials/${paper.id}`), t('paperDeleted'));
      dialog.close();
    };
    const dialog = openDialog(nameOf(paper), h('p', {}, stateOf(paper)), facts(about(paper)), h('h3', {}, t('sharePaper')),
      h('p', {class: 'hint'}, t(paper.title ? 'shareHintStated' : 'shareHint')), stores,
      h('p', {class: 'actions'}, h('button', {type: 'button', class: 'danger', onclick: remove}, t('deletePlaceShort'))));
    const offer = () => loading(stores, () => all('/v1/partners'), (partners) => stores.replaceChildren(...partners.length
      ? partners.map((store) => share(paper, store, offer)) : [h('p', {class: 'hint'}, t('noStores'))]));
    offer();
  }

  /** The paper as it was loaded last: a partnership that has ended meanwhile took its sharing along. */
  const newest = (paper) => items.find(({id}) => id === paper.id) ?? paper;

  /** A switch for one store, which takes effect at once, so that nothing typed is lost with the dialog; what others see is as it was until the server says otherwise. */
  function share(paper, {id, name}, offer) {
    const control = h('input', {type: 'checkbox', checked: newest(paper).shared_with.includes(id), oninput: (event) => event.stopPropagation(), async onchange() {
      const isShared = control.checked;
      const isDone = await sharing(() => change(async () => {
        const others = newest(paper).shared_with.filter((other) => other !== id);
        const shared = await ask('PATCH', `/v1/me/credentials/${paper.id}`, {shared_with: isShared ? [...others, id] : others});
        Object.assign(newest(paper), shared);
      }, t(isShared ? 'sharedWith' : 'notSharedWith', {name})));
      if (isDone) return;
      control.checked = !isShared;
      sharing(offer);
    }});
    return h('label', {class: 'choice'}, control, h('span', {}, name));
  }

  async function change(act, said) {
    try {
      await act();
      say(said);
      load();
      return true;
    } catch (error) {
      say(wordsOf(error));
      // With some store of those that were known it can no longer be shared.
      if (error.status === 422) await load();
      return false;
    }
  }

  async function scan() {
    const raw = await scanCode(t('scanPaper'));
    if (raw === undefined) return;
    if (isCertificate(raw)) change(() => post('/v1/me/credentials', {raw}), t('paperKept')); else add(raw);
  }

  /** By hand, or what else there is to say of a code that was scanned. */
  function add(raw) {
    const fields = [
      {name: 'kind', label: t('paperKind'), required: true, options: [...kinds.map((kind) => [kind, t(`paper_${kind}`)]), ['', t('paper_eu_dcc')]], value: kinds[0]},
      {name: 'raw', label: t('codeText'), value: raw, required: true, rows: 3, hint: t('codeTextHint')},
      {name: 'title', label: t('paperTitle'), hint: t('paperTitleHint')}, {name: 'valid_until', label: t('paperUntil'), type: 'date'},
    ];
    const filled = form(fields, t('save'), async ({raw: typed, ...stated}) => {
      const text = raw && filled.elements.raw.value === shown ? raw : typed;
      await post('/v1/me/credentials', stated.kind && !isCertificate(text) ? {raw: text, ...stated} : {raw: text});
      dialog.close();
      say(t('paperKept'));
      load();
    }, {cancel: () => dialog.close()});
    // A text field has line ends of its own, and forms drop spaces: a code that nobody has changed in it is kept as it was scanned.
    const shown = filled.elements.raw.value;
    const dialog = openDialog(t('newPaper'), filled);
  }

  const choice = (value, words, isChosen) => h('label', {class: 'chip'},
    h('input', {type: 'radio', name: 'papers', class: 'unseen', value, checked: isChosen, onchange: () => only(value === 'valid')}), t(words));
  const which = h('fieldset', {class: 'chips'}, h('legend', {class: 'unseen'}, t('papers')), choice('all', 'allPapers', true), choice('valid', 'validPapers', false));
  const offline = h('label', {class: 'choice'}, h('input', {type: 'checkbox', checked: Boolean(localStorage.getItem(keeping)), onchange({target}) {
    if (target.checked) localStorage.setItem(keeping, 'yes'); else for (const place of [keeping, kept]) localStorage.removeItem(place);
    load();
  }}), h('span', {}, t('keepPapers')));
  region.append(
    h('section', {class: 'panel'}, h('p', {class: 'hint'}, t('papersHint')),
      h('p', {class: 'actions'}, h('button', {type: 'button', class: 'main', onclick: scan}, icon('scan'), t('scanPaper')), h('button', {type: 'button', onclick: () => add()}, t('byHand'))),
      which, unreadable, list),
    panel(t('onThisDevice'), offline, h('p', {class: 'hint'}, t('keepPapersHint'))));
  load();

  return {onFresh: load, hears: ['partner'], onEvent: load};
}

/** What was kept may have ended since. */
const current = (paper) => (paper.state === 'valid' && paper.valid_until && paper.valid_until <= new Date().toISOString() ? {...paper, state: 'expired'} : paper);

const nameOf = ({kind, title}) => title ?? t(`paper_${kind}`);
// A time at midnight is the end of the day before it, or the beginning of a day.
const isDay = (time) => time.endsWith('T00:00:00.000Z');
const endOf = (time) => (isDay(time) ? dayOf(new Date(Date.parse(time) - 1).toISOString().slice(0, 10)) : when(time));
const beginOf = (time) => (isDay(time) ? dayOf(time.slice(0, 10)) : when(time));
const untilOf = ({valid_until: until}) => until && t('untilDay', {day: endOf(until)});

/** When it is good, where somebody vouches for it. */
function termOf(paper) {
  if (paper.state === 'not_yet') return t('fromDay', {day: beginOf(paper.valid_from)});
  return ['valid', 'expired'].includes(paper.state) && untilOf(paper);
}

const signs = {valid: '✓', expired: '✕', forged: '!', unverified: '?', positive: '!', incomplete: '◔', not_yet: '◔'};
const colours = {valid: 'delivered', expired: 'bad', forged: 'bad', unverified: 'pending', positive: 'bad', incomplete: 'pending', not_yet: 'pending'};

/** What a paper is worth, in words and with a sign. */
function stateOf({state, verified}) {
  return h('span', {class: `badge ${colours[state]}`}, h('span', {'aria-hidden': 'true'}, `${signs[state]} `), t(`paper_is_${state}`),
    state === 'valid' && !verified && ` (${t('asYouSay')})`);
}

// What codes of the EU's value sets are called.
const named = {'840539006': 'COVID-19', 'LP6464-4': 'PCR', 'EU/1/20/1528': 'Comirnaty', 'EU/1/20/1507': 'Spikevax', 'EU/1/21/1529': 'Vaxzevria', 'EU/1/20/1525': 'Jcovden', 'EU/1/21/1618': 'Nuvaxovid'};

function about(paper) {
  const {details, kind, holder, birth_date: birth, country, issuer, valid_from: from, valid_until: until} = paper;
  const told = (name, value) => {
    if (name === 'result') return t(`result_${value}`);
    if (value === 'LP217198-3') return t('antigenTest');
    if (/^\d{4}-\d{2}-\d{2}T/.test(value)) return when(value);
    return /^\d{4}-\d{2}-\d{2}$/.test(value) ? dayOf(value) : named[value] ?? String(value);
  };
  const dose = details.dose && t('doseOf', {dose: details.dose, doses: details.doses});
  const rest = ['disease', 'product', 'manufacturer', 'date', 'type', 'name', 'device', 'centre', 'sampled_at', 'result', 'first_positive', 'certificate_id'];
  return [
    [t('paperKind'), t(`paper_${kind}`)], [t('holder'), holder], [t('birthDate'), birth && told('', birth)], [t('fact_dose'), dose],
    ...rest.map((name) => [t(`fact_${name}`), details[name] && told(name, details[name])]),
    [t('country'), country], [t('issuer'), issuer], [t('validFrom'), from && beginOf(from)], [t('validUntil'), until && endOf(until)],
  ];
}

/** What a store is told of a courier's papers, each with its sign. */
export const standings = (shared = {}) => Object.entries(shared).map(([kind, state]) =>
  h('span', {class: `term badge ${{valid: 'delivered', expired: 'bad', none: 'cancelled'}[state]}`},
    h('span', {'aria-hidden': 'true'}, `${{valid: '✓', expired: '✕', none: '–'}[state]} `), t(`has_${state}`, {kind: t(`paper_${kind}`)})));

/** All that a courier shares with this store. */
export function sharedPapers(courier, name) {
  const list = h('ul', {class: 'rows'});
  openDialog(t('papersOf', {name}), h('p', {class: 'hint'}, t('sharedHint')), list);
  const row = ({kind, title, state, valid_until: until}) => h('li', {}, h('div', {}, h('strong', {}, title ?? t(`paper_${kind}`)),
    title && h('p', {class: 'hint'}, t(`paper_${kind}`)), until && h('p', {class: 'hint'}, untilOf({valid_until: until}))),
  h('span', {class: `badge ${state === 'valid' ? 'delivered' : 'bad'}`}, `${state === 'valid' ? '✓' : '✕'} `, t(`paper_is_${state}`)));
  loading(list, () => all(`/v1/couriers/${courier}/credentials`), (items) => fill(list, items.map((item, number) => ({...item, id: String(number)})), row, 'nothingShared'));
}

/** Which papers a store wants; `changed` is told when it wants others. */
export function wants(changed) {
  const choices = h('div', {class: 'choices'});
  const saving = inTurn();
  const load = () => loading(choices, () => get('/v1/me'), ({wants: wanted}) => choices.replaceChildren(...['eu_dcc', ...kinds].map((kind) => {
    const control = h('input', {type: 'checkbox', checked: wanted.includes(kind), async onchange() {
      const others = wanted.filter((other) => other !== kind);
      const wants = wanted = control.checked ? [...others, kind] : others;
      try {
        await saving(() => ask('PATCH', '/v1/me', {wants}));
        say(t('saved'));
        changed();
      } catch (error) {
        say(wordsOf(error));
        load();
      }
    }});
    return h('label', {class: 'choice'}, control, h('span', {}, t(`paper_${kind}`)));
  })));
  load();
  return panel(t('wantedPapers'), h('p', {class: 'hint'}, t('wantedPapersHint')), choices);
}
