/** Letters and digits of a code; without those that look alike (after Crockford's base 32). */
export const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Characters of a confirmation or reset code (specification, section 5). */
export const CODE_LENGTH = 6;

const LOOK_ALIKES: Record<string, string> = { O: '0', I: '1', L: '1' };

/** What a person typed or pasted, as the code they meant: upper case, no spaces or dashes, look-alikes mapped. */
export function normaliseCode(text: string): string {
  const letters = [...text.toUpperCase()].map((letter) => LOOK_ALIKES[letter] ?? letter);
  return letters.filter((letter) => CODE_ALPHABET.includes(letter)).join('').slice(0, CODE_LENGTH); // prettier-ignore
}
