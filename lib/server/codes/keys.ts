import { createHmac, hkdfSync } from 'node:crypto';

/** What a code is for. A token of one purpose means nothing to another. */
export type CodePurpose = 'confirm-email' | 'reset-password';

const KEY_BYTES = 32;

/** The key that seals tokens of a purpose (HKDF, RFC 5869). @param secret 32 bytes in base64 */
export function sealingKey(secret: string, purpose: CodePurpose | 'email-action'): Uint8Array {
  return derive(secret, `one-time-code/seal/${purpose}`);
}

/** What is kept of a code: HMAC-SHA-256 over the token's id and the code, in base64url. */
export function codeMark(secret: string, purpose: CodePurpose, jti: string, code: string): string {
  const key = derive(secret, `one-time-code/mark/${purpose}`);
  return createHmac('sha256', key).update(`${jti}.${code}`).digest('base64url');
}

function derive(secret: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', use, KEY_BYTES));
}
