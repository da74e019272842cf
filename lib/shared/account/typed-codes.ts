import { toPlainText } from './plain-text';

/** Characters of a code, without lookalikes (after Crockford's base 32). */
export const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Length of a confirmation or reset code (docs/product.md#validation). */
export const CODE_LENGTH = 6;

const LOOKALIKES: Record<string, string> = { O: '0', I: '1', L: '1' };

/**
 * Normalizes a typed or pasted code of any keyboard: upper case, lookalikes mapped, no other characters, at most six.
 * From a pasted text such as `Code: ABC123` it takes the part most like a code.
 */
export function normalizeCode(text: string): string {
  const plain = toPlainText(text);
  const letters = toCodeLetters(plain);
  return letters.length > CODE_LENGTH ? (findCode(plain) ?? letters.slice(0, CODE_LENGTH)) : letters;
}

/** Finds a word in the form of a code. It prefers a word with a digit, then a word in capitals. */
function findCode(text: string): string | undefined {
  const words = text
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length === CODE_LENGTH && toCodeLetters(word).length === CODE_LENGTH);
  const code = words.find((word) => /\d/.test(word)) ?? words.find((word) => word === word.toUpperCase()) ?? words[0];
  return code === undefined ? undefined : toCodeLetters(code);
}

/** Converts a text to upper case, maps lookalikes and drops other characters. */
function toCodeLetters(text: string): string {
  const letters = [...text.toUpperCase()].map((letter) => LOOKALIKES[letter] ?? letter);
  return letters.filter((letter) => CODE_ALPHABET.includes(letter)).join('');
}

/** Number of digits of an authenticator app's code. */
export const APP_CODE_LENGTH = 6;
/** Number of characters of a recovery code, without dashes. */
export const RECOVERY_CODE_LENGTH = 16;

/**
 * Normalizes a typed or pasted code of an app: digits only, of any keyboard, at most six. From a text with more digits it
 * takes six that stand together, as apps show them: `123 456`, `123-456` or `123456`.
 */
export function normalizeAppCode(text: string): string {
  const plain = toPlainText(text);
  const [, code = plain] = /(?:^|\D)(\d{3}[\s\p{Pd}]?\d{3})(?!\d)/u.exec(plain) ?? [];
  return code.replaceAll(/\D/g, '').slice(0, APP_CODE_LENGTH);
}

/** Normalizes a typed or pasted recovery code: upper case, lookalikes mapped, no dashes or spaces. */
export function normalizeRecoveryCode(text: string): string {
  return toCodeLetters(toPlainText(text));
}

/** Formats the key of an app in groups of four, as apps show it. */
export function groupKey(key: string): string {
  return (key.match(/.{1,4}/g) ?? []).join(' ');
}
