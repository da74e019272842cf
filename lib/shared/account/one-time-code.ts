/** Characters of a code, without lookalikes (after Crockford's base 32). */
export const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Length of a confirmation or reset code (docs/product.md#validation). */
export const CODE_LENGTH = 6;

const LOOKALIKES: Record<string, string> = { O: '0', I: '1', L: '1' };

/**
 * Normalizes a typed or pasted code: upper case, full-width forms and lookalikes mapped, no other characters, at most six.
 */
export function normalizeCode(text: string): string {
  const letters = [...text.normalize('NFKC').toUpperCase()].map((letter) => LOOKALIKES[letter] ?? letter);
  return letters.filter((letter) => CODE_ALPHABET.includes(letter)).join('').slice(0, CODE_LENGTH); // prettier-ignore
}
