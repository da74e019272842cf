import { describeLanguage, PSEUDO_LANGUAGE, SOURCE_LANGUAGE, type Language } from './languages';
import type { Tree } from './messages';

const FORM = /^(.+?)(_ordinal)?_(?:zero|one|two|few|many|other)$/;

/** Returns the message of a plural form's key, or null if the key is not a plural form. */
export function getStem(key: string): string | null {
  const [, stem, ordinal = ''] = FORM.exec(key) ?? [];
  return stem === undefined ? null : stem + ordinal;
}

/** Returns the plural forms of a language, such as only `other`. */
export function getForms(language: string, type: Intl.PluralRuleType = 'cardinal'): string[] {
  return new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories;
}

/**
 * Prepares the texts of a language for pages and emails. It completes them. In right-to-left languages, it isolates
 * values, which keep their own direction and the order of the sentence (UAX #9, First Strong Isolate). The server does
 * this, so that browsers need no code for it.
 */
export function prepareTexts(language: Language, texts: Tree, source: Tree): Tree {
  if (language === PSEUDO_LANGUAGE) return mapTexts(source, stretchText);
  const whole = language === SOURCE_LANGUAGE ? texts : completeTexts(language, texts, source);
  return describeLanguage(language).dir === 'rtl' ? isolateValues(whole) : whole;
}

const PLAIN = 'abcdefghijklmnopqrstuvwxyz';
// cspell:disable-next-line
const ACCENTED = 'åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';
const VALUE = /{{\w+}}/g;
/** Maximum extra length of other languages, as a share. */
const STRETCH = 0.6;

/** Stretches a text. Brackets show where a text is cut, or combined from several texts. */
export function stretchText(text: string): string {
  const length = Math.ceil(text.replaceAll(VALUE, '').length * STRETCH);
  const longer = `${text} ${'one two three four five '.repeat(length).slice(0, length).trim()}`;
  const accented = longer.replaceAll(/{{\w+}}|[a-z]/gi, (found) => {
    const letter = ACCENTED[PLAIN.indexOf(found.toLowerCase())] ?? found;
    return found === found.toLowerCase() ? letter : letter.toUpperCase();
  });
  return `[${accented}]`;
}

/**
 * Completes the texts of a language with English texts. A missing plural form uses the form of other numbers, so a page
 * never shows a key.
 */
export function completeTexts(language: string, texts: Tree, source: Tree): Tree {
  const own: Tree = { ...texts };
  for (const [key, text] of Object.entries(source)) {
    const present = own[key];
    if (typeof text === 'object') own[key] = completeTexts(language, typeof present === 'object' ? present : {}, text);
    else if (typeof present !== 'string' && !hasForms(texts, key)) own[key] = text;
  }
  for (const stem of new Set(Object.keys(own).map(getStem))) {
    const other = stem === null ? undefined : own[`${stem}_other`];
    if (stem === null || other === undefined) continue;
    for (const form of getForms(language, stem.endsWith('_ordinal') ? 'ordinal' : 'cardinal'))
      own[`${stem}_${form}`] ??= other;
  }
  return own;
}

export function isolateValues(texts: Tree): Tree {
  return mapTexts(texts, (text) => text.replaceAll(VALUE, '\u2068$&\u2069'));
}

function mapTexts(texts: Tree, change: (text: string) => string): Tree {
  const changed = Object.entries(texts).map(([key, text]) => [
    key,
    typeof text === 'string' ? change(text) : mapTexts(text, change),
  ]);
  return Object.fromEntries(changed) as Tree;
}

/** Whether the language has plural forms of the message, so that the English forms are not needed. */
function hasForms(texts: Tree, key: string): boolean {
  const stem = getStem(key);
  return stem !== null && `${stem}_other` in texts;
}
