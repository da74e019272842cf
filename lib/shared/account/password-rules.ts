import type { ProblemCode } from '../problem';

/**
 * Whether a password is little more than public information about its owner, with at most three other characters (NIST
 * SP 800-63B, section 5.1.1.2).
 * @param known email address and brand; an email address is checked both whole and by its local part
 */
export function personalPart(password: string, known: readonly string[]): boolean {
  const plain = letters(password);
  const parts = known.flatMap((text) => [text, text.split('@')[0] ?? '']).map(letters);
  // A short name inside a long password is harmless.
  return parts.some((part) => part.length >= 3 && plain.includes(part) && plain.length - part.length < 4);
}

/**
 * Keeps only letters and digits, in lower case, because case, accents and punctuation do not make a password harder to
 * guess.
 */
function letters(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Reasons why the server rejects a first password. Each has its own message at the field. */
export const FIRST_PASSWORD_REFUSALS = [
  'password-breached',
  'password-common',
  'password-personal',
  'password-weak',
] as const satisfies readonly ProblemCode[];

/** Reasons why the server rejects a password that replaces another. */
export const PASSWORD_REFUSALS = [
  ...FIRST_PASSWORD_REFUSALS,
  'password-unchanged',
] as const satisfies readonly ProblemCode[];

/** Whether a failure is shown at the field and needs no notice. */
export function isPasswordRefusal(code: string): code is (typeof PASSWORD_REFUSALS)[number] {
  const refusals: readonly string[] = PASSWORD_REFUSALS;
  return refusals.includes(code);
}
