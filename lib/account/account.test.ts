import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestEmail } from './email-suggestion';
import { CODE_ALPHABET, CODE_LENGTH, normaliseCode } from './one-time-code';

describe('suggestEmail', () => {
  it.each([
    ['lena@gmial.com', 'lena@gmail.com'],
    ['lena@gmail.con', 'lena@gmail.com'],
    ['Lena.L@hotmal.com', 'Lena.L@hotmail.com'],
    ['lena@outlookk.com', 'lena@outlook.com'],
  ])('%s was meant to be %s', (typed, meant) => expect(suggestEmail(typed)).toBe(meant));

  it.each(['lena@gmail.com', 'lena@campus.test', 'lena@', 'lena', '', 'a@b@gmial.com'])(
    'says nothing about %s',
    (typed) => expect(suggestEmail(typed)).toBeNull(),
  );
});

describe('normaliseCode', () => {
  it('maps look-alikes and drops the rest', () => {
    expect(normaliseCode(' o-i l\t9zq7 ')).toBe('0119ZQ');
  });

  it('answers with letters of the alphabet only, and the same when asked again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const code = normaliseCode(text);
        expect(code.length).toBeLessThanOrEqual(CODE_LENGTH);
        expect([...code].every((letter) => CODE_ALPHABET.includes(letter))).toBe(true);
        expect(normaliseCode(code)).toBe(code);
      }),
    );
  });
});
