import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { flattenTexts, readTexts } from '@/tests/support/locales';
import { getStem } from './complete';
import { describeLanguage, languages, SOURCE_LANGUAGE, type Language } from './languages';

/** Rows of cells, each a list of words. */
const [names = [], , ...rows] = readFileSync('docs/glossary.md', 'utf8')
  .replace(/\n## .*/s, '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.split(', ').map((word) => word.trim())),
  );
const others = languages.filter((language) => language !== SOURCE_LANGUAGE);
const english = readAll(SOURCE_LANGUAGE);

test('the glossary has a column for each language', () => {
  expect(names.flat()).toEqual(languages.map((language) => describeLanguage(language).name));
  expect(rows.length).toBeGreaterThan(10);
});

describe.each(others)('%s', (language) => {
  const column = languages.indexOf(language);
  const texts = readAll(language);

  it.each(rows.map((cells) => [cells[0]?.[0] ?? '', cells] as const))('has its word for %s', (_term, cells) => {
    const term = new RegExp(String.raw`\b(?:${cells[0]?.join('|') ?? ''})s?\b`, 'i');
    const words = (cells[column] ?? []).map((word) => word.replace('…', '').toLowerCase());
    const withTerm = [...texts].filter(([key]) => term.test(getEnglish(key)));
    expect(withTerm.length).toBeGreaterThan(5);
    const without = withTerm.filter(([, text]) => !words.some((word) => text.toLowerCase().includes(word)));
    expect(without).toEqual([]);
  });
});

/** Returns texts without their values, and without hints where a word may be divided. */
function readAll(language: Language): Map<string, string> {
  return new Map(
    Object.entries(readTexts(language)).flatMap(([namespace, tree]) =>
      [...flattenTexts(tree)].map(([key, text]) => [
        `${namespace}:${key}`,
        text.replaceAll(/{{\w+}}|\u00ad/g, '').replaceAll("'", '’'),
      ]),
    ),
  );
}

/** English may have other plural forms. */
function getEnglish(key: string): string {
  const stem = getStem(key);
  return english.get(key) ?? (stem === null ? '' : (english.get(`${stem}_other`) ?? ''));
}
