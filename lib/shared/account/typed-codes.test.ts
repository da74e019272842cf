// cspell:disable
import { expect, test } from 'vitest';
import { normalizeAppCode, normalizeCode, normalizeRecoveryCode } from './typed-codes';

test.each([
  ['Arabic digits', '١٢٣٤٥٦'],
  ['Persian digits in two groups', '۱۲۳ ۴۵۶'],
  ['Devanagari digits with a dash', '१२३-४५६'],
  ['full-width digits with a full-width dash', '１２３－４５６'],
  ['a dash that does not break', '123\u2011456'],
  ['a dash of typography', '123 – 456'],
  ['marks of direction, as pasted from a message in Arabic', '\u200f\u2067١٢٣\u2069\u200e ٤٥٦\u200f'],
  ['a zero-width space', '123\u200b456'],
  ['a space that does not break', '123\u202f456'],
  ['two kinds of digits', '١٢٣456'],
  ['a sentence', 'رمزك هو ١٢٣٤٥٦ صالح ٥ دقائق'],
])('a code of an app: %s', (_, typed) => {
  expect(normalizeAppCode(typed)).toBe('123456');
});

test.each([
  ['Arabic digits', 'a١b٢c٣'],
  ['full-width letters', 'Ａ１Ｂ２Ｃ３'],
  ['spaces and marks of direction', '\u2066 A 1 B 2 C 3 \u2069'],
  ['a sentence', 'Code: A\u200b1B2C3.'],
])('a one-time code: %s', (_, typed) => {
  expect(normalizeCode(typed)).toBe('A1B2C3');
});

test.each([
  ['full-width letters and digits', 'ＡＢＣＤ－１２３４－ＥＦＧＨ－５６７８'],
  ['Arabic digits', 'abcd-١٢٣٤-efgh-٥٦٧٨'],
  ['dashes of typography', 'ABCD–1234—EFGH‑5678'],
  ['marks of direction', '\u200eABCD 1234\u200f EFGH 5678\u202c'],
])('a recovery code: %s', (_, typed) => {
  expect(normalizeRecoveryCode(typed)).toBe('ABCD1234EFGH5678');
});
