import { expect, test } from 'vitest';
import { completeTexts, isolateValues, prepareTexts, stretchText } from './complete';
import { PSEUDO_LANGUAGE } from './languages';

const ENGLISH = {
  heading: 'Sign in',
  fields: { email: 'Email', password: 'Password' },
  left_one: '{{count}} code',
  left_other: '{{count}} codes',
  place_ordinal_one: '{{count}}st',
  place_ordinal_other: '{{count}}th',
};

test('texts that a language lacks are those of English, key by key', () => {
  const spanish = {
    fields: { email: 'Email (es)' },
    left_one: '{{count}} code (es)',
    left_other: '{{count}} codes (es)',
  };
  expect(completeTexts('es', spanish, ENGLISH)).toMatchObject({
    heading: 'Sign in',
    fields: { email: 'Email (es)', password: 'Password' },
    left_one: '{{count}} code (es)',
    left_other: '{{count}} codes (es)',
  });
});

test('a plural form that a language lacks is that of other numbers', () => {
  const arabic = { left_one: 'one code', left_other: '{{count}} code (ar)' };
  expect(completeTexts('ar', arabic, ENGLISH)).toMatchObject({
    left_one: 'one code',
    left_few: '{{count}} code (ar)',
    left_zero: '{{count}} code (ar)',
  });
  expect(completeTexts('ar', {}, ENGLISH)).toMatchObject({ left_one: '{{count}} code', left_few: '{{count}} codes' });
});

test('no English form travels beside those of the language', () => {
  expect(completeTexts('ja', { left_other: '{{count}} code (ja)' }, ENGLISH)).not.toHaveProperty('left_one');
});

test('a text in place of others, or others in place of a text, count as missing', () => {
  expect(completeTexts('es', { heading: { a: 'x' }, fields: 'y' }, ENGLISH)).toMatchObject({
    heading: 'Sign in',
    fields: ENGLISH.fields,
  });
});

test('a value in a right-to-left text keeps its direction', () => {
  expect(isolateValues({ lead: 'x {{name}} y', deep: { more_other: '{{count}} z' } })).toEqual({
    lead: 'x \u2068{{name}}\u2069 y',
    deep: { more_other: '\u2068{{count}}\u2069 z' },
  });
});

test('the pseudo-language is English, accented and longer by 60 %', () => {
  const text = 'Sign in to {{course}} with your password';
  const stretched = stretchText(text);
  expect(stretched).toMatch(/^\[Šîĝñ îñ ţö {{course}} ŵîţĥ ýöûŕ þåššŵöŕð .+\]$/);
  expect(stretched.length).toBeGreaterThanOrEqual(text.length * 1.5);
  expect(prepareTexts(PSEUDO_LANGUAGE, {}, ENGLISH)).toMatchObject({
    fields: { email: '[Éɱåîļ öñé]' },
    left_one: expect.stringContaining('{{count}} çöðé') as string,
  });
});
