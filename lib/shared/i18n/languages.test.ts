import { describe, expect, it, test } from 'vitest';
import { flattenTexts, folders, getPlaceholders, readTexts } from '@/tests/support/locales';
import { cookieTable } from '../cookie-table';
import { getForms, getStem } from './complete';
import { describeLanguage, languages, SOURCE_LANGUAGE } from './languages';

const NONE: ReadonlyMap<string, string> = new Map();
const PLURAL_WITHOUT_NUMBER = ['zero', 'one', 'two'];
const source = new Map(Object.entries(readTexts(SOURCE_LANGUAGE)).map(([name, texts]) => [name, flattenTexts(texts)]));

test('every folder of texts is a language, and the other way round', () => {
  expect([...folders].sort()).toEqual([...languages].sort());
});

test.each(languages)('the cookie can keep %s', (language) => {
  expect(language.length).toBeLessThanOrEqual(cookieTable.language.maxBytes);
});

test.each(languages)('%s has its own name and the direction of its script', (language) => {
  const { name, dir } = describeLanguage(language);
  // If the language has no name in itself, `of` returns the tag.
  const known = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? '';
  expect(known).not.toBe(language);
  expect(name.toLocaleLowerCase(language)).toBe(known.toLocaleLowerCase(language));
  const isRightToLeft = /[\u0590-\u08ff]/.test(known);
  expect(dir).toBe(isRightToLeft ? 'rtl' : 'ltr');
});

describe.each(languages.filter((language) => language !== SOURCE_LANGUAGE))('%s', (language) => {
  const texts = new Map(Object.entries(readTexts(language)).map(([name, tree]) => [name, flattenTexts(tree)]));

  it('has the files of English', () => {
    expect([...texts.keys()].sort()).toEqual([...source.keys()].sort());
  });

  describe.each([...source.keys()])('%s', (namespace) => {
    const own = texts.get(namespace) ?? NONE;
    const english = source.get(namespace) ?? NONE;

    it('has every message with the plural forms of the language, and no other', () => {
      const expected = [...english.keys()].flatMap((key) => {
        const stem = getStem(key);
        if (stem === null) return [key];
        return getForms(language, stem.endsWith('_ordinal') ? 'ordinal' : 'cardinal').map((form) => `${stem}_${form}`);
      });
      expect([...own.keys()].sort()).toEqual([...new Set(expected)].sort());
    });

    it('has the values of English in every message', () => {
      const wrong = [...own].filter(([key, text]) => !hasSameValues(key, text, english));
      expect(wrong).toEqual([]);
    });

    it('is translated', () => {
      const left = [...own].filter(([key, text]) => text === english.get(key) && text.split(' ').length > 3);
      expect(left).toEqual([]);
      expect([...own].filter(([, text]) => text.trim() !== text || text === '')).toEqual([]);
    });
  });
});

/** A plural form for one, two or no things may express the number as a word. */
function hasSameValues(key: string, text: string, english: ReadonlyMap<string, string>): boolean {
  const stem = getStem(key);
  const found = getPlaceholders(text);
  if (stem === null) return found.join() === getPlaceholders(english.get(key) ?? '').join();
  const wanted = getPlaceholders(english.get(`${stem}_other`) ?? '');
  const isSpelled = PLURAL_WITHOUT_NUMBER.some((form) => key.endsWith(`_${form}`));
  const optional = (name: string) => name === 'count' && isSpelled;
  const most = new Set([...wanted, ...getPlaceholders(english.get(`${stem}_one`) ?? '')]);
  return wanted.every((name) => found.includes(name) || optional(name)) && found.every((name) => most.has(name));
}
