import { foldName, hasLink } from '@/lib/shared/account/name-field';

const MAX_LENGTH = 60;
/** Letters and digits of any script, and the punctuation used in names. */
const PLAIN = /^[\p{L}\p{M}\p{N} .,&()+'’‘ʼ‐–·・-]+$/u;
/** Email clients turn seven digits into a phone number link. */
const FEW_DIGITS = /^(?:\P{N}*\p{N}){0,6}\P{N}*$/u;

/**
 * The only way a name gets into an email: users choose their own name, and our emails must not carry advertising.
 * @returns the name, folded; null when it holds anything but a short name
 */
export function getNameForEmail(name: string): string | null {
  const folded = foldName(name);
  const isPlain = folded.length <= MAX_LENGTH && PLAIN.test(folded) && FEW_DIGITS.test(folded);
  return isPlain && /\p{L}/u.test(folded) && !hasLink(folded) ? folded : null;
}
