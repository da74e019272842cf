// ASVS: 6.1.2, 6.2.11
import { expect, it } from 'vitest';
import { personalPart } from './password-rules';

const known = ['lena.lang@campus.test', 'Campus', 'al@b.test'];

it.each(['lena.lang', 'LenaLang1!', 'lena-lang-99', 'campus123', 'Campus-12', 'lena.lang@campus.test'])(
  '%s is made of guessable words',
  (password) => expect(personalPart(password, known)).toBe(true),
);

it.each(['correct-horse-7', 'al-and-bo-22', 'campus in the rain', 'lena.lang-quietly-99', ''])(
  '%s is not guessable',
  (password) => expect(personalPart(password, known)).toBe(false),
);
