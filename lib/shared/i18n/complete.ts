import { describeLanguage, PSEUDO_LANGUAGE, SOURCE_LANGUAGE, type Language } from './languages';
import type { Tree } from './messages';

const FORM = /^(.+?)(_ordinal)?_(?:zero|one|two|few|many|other)$/;

/** The message that a key is a plural form of; null for one that is none. */
export function getStem(key: string): string | null {
  const [, stem, ordinal = ''] = FORM.exec(key) ?? [];
  return stem === undefined ? null : stem + ordinal;
}

/** The plural forms that a language has, such as `other` alone. */
export function getForms(language: string, type: Intl.PluralRuleType = 'cardinal'): string[] {
  return new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories;
}

/**
 * The texts of a language as pages and emails use them: complete, and right to left with values that keep their own direction and the order
 * of the sentence around them (UAX #9, First Strong Isolate). Here, so that browsers need no code for it.
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
/** How much longer other languages are, at most, as a share. */
const STRETCH = 0.6;

/** Brackets show where a text is cut, or put together of several. */
export function stretchText(text: string): string {
  const accented = text.replaceAll(/{{\w+}}|[a-z]/gi, (found) => {
    const letter = ACCENTED[PLAIN.indexOf(found.toLowerCase())] ?? found;
    return found === found.toLowerCase() ? letter : letter.toUpperCase();
  });
  const length = Math.ceil(text.replaceAll(VALUE, '').length * STRETCH);
  return `[${accented} ${'öñé ţŵö ţĥŕéé ƒöûŕ ƒîṽé '.repeat(length).slice(0, length).trim()}]`;
}

/**
 * Texts of a language, with the English ones in place of those that it lacks. A plural form that it lacks is that of other numbers: a page
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

/** Whether there are plural forms of the same message: English ones beside them would travel for nothing. */
function hasForms(texts: Tree, key: string): boolean {
  const stem = getStem(key);
  return stem !== null && `${stem}_other` in texts;
}
