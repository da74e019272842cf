// ASVS: 6.2.1, 6.2.5, 6.2.8, 6.2.9
// cspell:ignore ｌｅｎａ ｐｏｔｓ ｔｅｓｔ
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestEmail } from '@/lib/shared/account/email-suggestion';
import { CODE_ALPHABET, CODE_LENGTH, normalizeCode } from './typed-codes';

describe('suggestEmail', () => {
  const domains = ['post.test', 'letterbox.test'];
  it.each([
    ['lena@pots.test', 'lena@post.test'],
    ['lena@post.tets', 'lena@post.test'],
    ['Lena.L@lettrbox.test', 'Lena.L@letterbox.test'],
    ['lena@letterboxx.test', 'lena@letterbox.test'],
    ['lena@gmial.com', 'lena@gmail.com'],
    ['lena@gmail.con', 'lena@gmail.com'],
    ['lena@outlok.com', 'lena@outlook.com'],
    ['ｌｅｎａ７＠ｐｏｔｓ．ｔｅｓｔ', 'lena7@post.test'],
    ['lena٧@pots。test', 'lena7@post.test'],
  ])('suggests for %s: %s', (typed, meant) => expect(suggestEmail(typed, domains)).toBe(meant));

  it.each([
    'lena@post.test',
    'lena@campus.test',
    'lena@gmail.com',
    'lena@ymail.com',
    'lena@line.com',
    'lena@',
    'lena',
    '',
    'a@b@pots.test',
  ])('suggests nothing for %s', (typed) => expect(suggestEmail(typed, domains)).toBeNull());
});

describe('normalizeCode', () => {
  it('maps lookalikes and drops all other characters', () => {
    expect(normalizeCode(' o-i l\t9zq7 ')).toBe('0119ZQ');
  });

  it('reads the full-width forms of East Asian keyboards', () => {
    expect(normalizeCode('ＪＦ９ｋ ＱＦ')).toBe('JF9KQF');
  });

  it.each([
    ['Code: ABC123', 'ABC123'],
    ['ABC123 is your Campus code', 'ABC123'],
    ['Use FACADE within 15 minutes', 'FACADE'],
    ['Le code est JF9KQF.', 'JF9KQF'],
    ['your code: 0o1ilz', '00111Z'],
    ['AB-C1-23-4', 'ABC123'],
    ['ABC1234', 'ABC123'],
  ])('finds the code in %s', (text, code) => {
    expect(normalizeCode(text)).toBe(code);
  });

  it('returns only characters of the alphabet, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const code = normalizeCode(text);
        expect(code.length).toBeLessThanOrEqual(CODE_LENGTH);
        expect([...code].every((letter) => CODE_ALPHABET.includes(letter))).toBe(true);
        expect(normalizeCode(code)).toBe(code);
      }),
    );
  });
});
