import { toCodeLetters } from '@/lib/shared/account/one-time-code';

/** Digits of a code of an authenticator app. */
export const APP_CODE_LENGTH = 6;
/** Characters of a recovery code, without dashes. */
export const RECOVERY_CODE_LENGTH = 16;

/**
 * A typed or pasted code of an app: digits only, full-width ones included, at most six. Of a text with more digits those that stand
 * together, as apps show them: `123 456` or `123456`.
 */
export function normalizeAppCode(text: string): string {
  const plain = text.normalize('NFKC');
  const [, code = plain] = /(?:^|\D)(\d{3}[\s-]?\d{3})(?!\d)/.exec(plain) ?? [];
  return code.replaceAll(/\D/g, '').slice(0, APP_CODE_LENGTH);
}

/** A typed or pasted recovery code: upper case, lookalikes mapped, no dashes or spaces. */
export function normalizeRecoveryCode(text: string): string {
  return toCodeLetters(text.normalize('NFKC'));
}

/** The key of an app in groups of four, as apps show it. */
export function groupKey(key: string): string {
  return (key.match(/.{1,4}/g) ?? []).join(' ');
}
