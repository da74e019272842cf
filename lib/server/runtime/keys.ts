import crypto, { createHmac, hkdfSync, timingSafeEqual, createHash } from 'node:crypto';

/** The purpose of a code. A token of one purpose is invalid for another. */
export type CodePurpose = FlowPurpose | 'factor-reset' | 'email-change';

/** Purposes for which a browser can have several open flows (docs/adr/0022). */
export type FlowPurpose = 'confirm-email' | 'reset-password' | 'sign-in';

/** The purpose of a link in an email. */
export type LinkPurpose =
  | 'deletion-link'
  | 'factor-reset-link'
  | 'disavowal-link'
  | 'sign-in-link'
  | 'email-change-link'
  | 'email-undo-link';

const KEY_BYTES = 32;

/** Secrets in force, each 32 bytes in base64. The first secret seals, and all unseal. */
export type Secrets = readonly string[];

/** Derives the keys for tokens of a purpose (HKDF, RFC 5869), in the order of the secrets. */
export function getSealingKeys(
  secrets: Secrets,
  purpose:
    | CodePurpose
    | LinkPurpose
    | 'email-action'
    | 'confirmation-link'
    | 'passkey-challenge'
    | 'requested-email'
    | 'new-account'
    | 'logout-return'
    | 'left-clients',
): Uint8Array[] {
  return deriveKeys(secrets, `one-time-code/seal/${purpose}`);
}

/** Whether a code matches the stored code, by any secret. */
export function isStoredCode(secrets: Secrets, purpose: CodePurpose, jti: string, code: string, mark: string): boolean {
  return secrets.some((secret) => isEqualInConstantTime(codeHmac([secret], purpose, jti, code), mark));
}

/**
 * Returns the stored form of a code: HMAC-SHA-256 (RFC 2104) of the token's id and the code, in base64url.
 * @param secrets the first secret is used
 * @param jti id of the token, so that equal codes of two tokens differ
 */
export function codeHmac(secrets: Secrets, purpose: CodePurpose, jti: string, code: string): string {
  const [key = new Uint8Array()] = deriveKeys(secrets, `one-time-code/mark/${purpose}`);
  return createHmac('sha256', key).update(`${jti}.${code}`).digest('base64url');
}

/** Derives keys for a single use (HKDF, RFC 5869), in the order of the secrets. */
export function deriveKeys(secrets: Secrets, use: string): Uint8Array[] {
  const known = derived.get(secrets) ?? new Map<string, Uint8Array[]>();
  derived.set(secrets, known);
  let keys = known.get(use);
  if (!keys) {
    keys = secrets.map(
      (secret) => new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', use, KEY_BYTES)),
    );
    known.set(use, keys);
  }
  return keys;
}

/** Cached by secrets and use. There are few of both, and refusals during an attack also need keys. */
const derived = new WeakMap<Secrets, Map<string, Uint8Array[]>>();

/** Compares secrets in constant time. It reveals the length, so compare digests if the length is secret. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** SHA-256 in base64url, without padding (RFC 4648, section 5). */
export function digest(text: string): string {
  // Node.js 20.12 and later. It takes a third less time, which matters for session checks.
  if ('hash' in crypto) return crypto.hash('sha256', text, 'base64url');
  return createHash('sha256').update(text).digest('base64url');
}
