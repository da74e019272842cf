import crypto, { createHmac, hkdfSync, timingSafeEqual, createHash } from 'node:crypto';

/** The purpose of a code. A token of one purpose is invalid for another. */
export type CodePurpose = FlowPurpose | 'factor-reset';

/** Codes of which a browser can have several flows open (docs/adr/0022). */
export type FlowPurpose = 'confirm-email' | 'reset-password';

/** What a link in an email does. */
export type LinkPurpose = 'deletion-link' | 'factor-reset-link' | 'disavowal-link' | 'sign-in-link';

const KEY_BYTES = 32;

/** Secrets in force, each 32 bytes in base64: the first one seals, all unseal. */
export type Secrets = readonly string[];

/** The keys for tokens of a purpose (HKDF, RFC 5869), in the order of the secrets. */
export function getSealingKeys(
  secrets: Secrets,
  purpose:
    | CodePurpose
    | LinkPurpose
    | 'email-action'
    | 'confirmation-link'
    | 'passkey-challenge'
    | 'requested-email'
    | 'logout-return'
    | 'left-clients',
): Uint8Array[] {
  return deriveKeys(secrets, `one-time-code/seal/${purpose}`);
}

/** Whether a code is the one that was stored, by any secret. */
export function isStoredCode(secrets: Secrets, purpose: CodePurpose, jti: string, code: string, mark: string): boolean {
  return secrets.some((secret) => isEqualInConstantTime(codeHmac([secret], purpose, jti, code), mark));
}

/**
 * The stored form of a code: HMAC-SHA-256 (RFC 2104) over the token's id and the code, in base64url.
 * @param secrets the first one is used
 * @param jti id of the token, so that equal codes of two tokens differ
 */
export function codeHmac(secrets: Secrets, purpose: CodePurpose, jti: string, code: string): string {
  const [key = new Uint8Array()] = deriveKeys(secrets, `one-time-code/mark/${purpose}`);
  return createHmac('sha256', key).update(`${jti}.${code}`).digest('base64url');
}

/** Keys for one use only (HKDF, RFC 5869), in the order of the secrets. */
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

/** By secrets and use: there are few of both, and refusals of an attack need keys too. */
const derived = new WeakMap<Secrets, Map<string, Uint8Array[]>>();

/** Compares secrets in constant time. Only the length is revealed: compare digests if it is secret too. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** SHA-256 in base64url, without padding (RFC 4648, section 5). */
export function digest(text: string): string {
  // Node.js 20.12 and later: in a third less time, which session checks notice.
  if ('hash' in crypto) return crypto.hash('sha256', text, 'base64url');
  return createHash('sha256').update(text).digest('base64url');
}
