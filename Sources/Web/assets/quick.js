// What an account answers often, at one touch; the words are its own, or those that are suggested.
import {ask, get, lasting} from './ask.js';
import {h, openDialog, say} from './dom.js';
import {form} from './form.js';
import {icon} from './icons.js';
import {t} from './words.js';

const suggested = (kind) => t(`quick_${kind}`).split(' | ');

/** A row of them; `use` gets the one that is touched. */
export function quickAnswers(kind, use) {
  const row = h('div', {class: 'quick', role: 'group', 'aria-label': t('quickAnswers')});

  function draw(texts) {
    row.replaceChildren(...(texts ?? suggested(kind)).map((text) => h('button', {type: 'button', onclick: () => use(text)}, text)),
      h('button', {type: 'button', class: 'plain', 'aria-label': t('changeQuickAnswers'), title: t('changeQuickAnswers'), onclick: () => change(texts)}, icon('change')));
  }

  function change(texts) {
    const field = {name: 'texts', label: t('quickAnswers'), value: (texts ?? suggested(kind)).join('\n'), rows: 6, hint: t('quickAnswersHint')};
    const dialog = openDialog(t('changeQuickAnswers'), form([field], t('save'), async (values) => {
      const lines = values.texts?.split('\n').map((line) => line.trim()).filter(Boolean) ?? null;
      draw((await ask('PUT', '/v1/me/quick_answers', {texts: lines})).texts);
      dialog.close();
      say(t('saved'));
    }, {cancel: () => dialog.close()}));
  }

  draw(null);
  lasting('quick', () => get('/v1/me/quick_answers')).then(({texts}) => draw(texts), () => {});
  return row;
}
