import { describe, expect, it, test } from 'vitest';
import { chooseLanguage, type LanguageSources } from './choose-language';
import type { Language } from './languages';

/** The rules are the same for all tags, whatever languages are shipped. */
const ENABLED = ['en', 'es', 'pt-BR', 'fr', 'de', 'ar', 'ja'] as unknown as [Language, ...Language[]];
const choose = (sources: LanguageSources, enabled = ENABLED) => chooseLanguage(sources, enabled);

/** Sources from the strongest to the weakest, each with a different language. */
const ORDER = [
  ['lang', 'es'],
  ['uiLocales', 'pt-BR'],
  ['cookie', 'fr'],
  ['account', 'de'],
  ['acceptLanguage', 'ar'],
  ['origin', 'ja'],
] as const;
const BROKEN = [
  undefined,
  null,
  '',
  'xx',
  'es_ES',
  `es-${'a-'.repeat(40)}a`,
  'es\u0000',
  ['es'],
  7,
  '<script>',
  '-es',
  'e',
];

describe('every combination of sources', () => {
  test.each(Array.from({ length: 2 ** ORDER.length }, (_, bits) => bits))('%i', (bits) => {
    const present = ORDER.filter((_, at) => bits & (1 << at));
    const absent = ORDER.filter((_, at) => !(bits & (1 << at)));
    const [from, language] = present[0] ?? [null, 'en'];
    for (const broken of BROKEN) {
      const sources = Object.fromEntries([...present, ...absent.map(([name]) => [name, broken] as const)]);
      expect(choose(sources)).toEqual({ language, from });
    }
  });
});

it.each([
  ['es', 'es'],
  ['ES', 'es'],
  ['es-MX', 'es'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['pt-br', 'pt-BR'],
  ['de-CH-1996', 'de'],
  ['ar-EG', 'ar'],
])('%s is %s', (lang, language) => {
  expect(choose({ lang })).toEqual({ language, from: 'lang' });
});

it('takes the same tag before one of the same language', () => {
  expect(choose({ lang: 'pt-BR' }, ['en', 'pt', 'pt-BR'] as unknown as typeof ENABLED).language).toBe('pt-BR');
});

it.each([
  ['fr-CH, fr;q=0.9, en;q=0.8', 'fr'],
  ['en;q=0.7, ja;q=0.9, *;q=0.5', 'ja'],
  ['ko, zh;q=0.9, de;q=0.1', 'de'],
  ['ja;q=0, es;q=0.2', 'es'],
  ['ja;q=2, es;q=0.2', 'es'],
  ['*', 'en'],
  ['ko', 'en'],
  [`${'ko,'.repeat(20)}ja`, 'en'],
  [`ja;q=0.5,${' '.repeat(2_000)}es`, 'ja'],
  [' es ; q=0.3 ,\tde;q=0.4', 'de'],
])('Accept-Language %j is %s', (acceptLanguage, language) => {
  expect(choose({ acceptLanguage }).language).toBe(language);
});

it.each([
  ['ko fr de', 'fr'],
  ['fr-CA fr en', 'fr'],
  ['ko  ja', 'ja'],
  ['fr,de', 'en'],
])('ui_locales %j is %s', (uiLocales, language) => {
  expect(choose({ uiLocales }).language).toBe(language);
});

it('knows only the languages that are on', () => {
  expect(choose({ lang: 'fr', cookie: 'de' }, ['ja', 'de'] as unknown as typeof ENABLED)).toEqual({
    language: 'de',
    from: 'cookie',
  });
  expect(choose({ lang: 'fr' }, ['ja'] as unknown as typeof ENABLED)).toEqual({ language: 'ja', from: null });
});
