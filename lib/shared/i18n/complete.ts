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
    if (stem === null) continue;
    const other = own[`${stem}_other`];
    if (other === undefined) continue;
    for (const form of getForms(language, stem.endsWith('_ordinal') ? 'ordinal' : 'cardinal'))
      own[`${stem}_${form}`] ??= other;
  }
  return own;
}

/** Whether there are plural forms of the same message: English ones beside them would travel for nothing. */
function hasForms(texts: Tree, key: string): boolean {
  const stem = getStem(key);
  return stem !== null && `${stem}_other` in texts;
}
