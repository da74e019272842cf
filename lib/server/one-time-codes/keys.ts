import { createHmac, hkdfSync } from 'node:crypto';

/** The purpose of a code. A token of one purpose is invalid for another. */
export type CodePurpose = 'confirm-email' | 'reset-password';

const KEY_BYTES = 32;

/** The key that seals tokens of a purpose (HKDF, RFC 5869). @param secret 32 bytes in base64 */
export function getSealingKey(secret: string, purpose: CodePurpose | 'email-action' | 'confirmation-link'): Uint8Array {
  return deriveKey(secret, `one-time-code/seal/${purpose}`);
}

/** The stored form of a code: HMAC-SHA-256 over the token's id and the code, in base64url. */
export function codeHmac(secret: string, purpose: CodePurpose, jti: string, code: string): string {
  const key = deriveKey(secret, `one-time-code/mark/${purpose}`);
  return createHmac('sha256', key).update(`${jti}.${code}`).digest('base64url');
}

/** A key for one use only (HKDF, RFC 5869). @param secret 32 bytes in base64 */
export function deriveKey(secret: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', use, KEY_BYTES));
}
