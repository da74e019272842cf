import { createHash } from 'node:crypto';

const SID_LENGTH = 22;

/**
 * Derives a session id from its cookie without revealing the cookie. Only the signed part counts: a signature has
 * several valid encodings, and an ended session must not be accepted under another encoding.
 */
export function getSessionId(cookie: string): string {
  const signed = cookie.slice(0, cookie.lastIndexOf('.'));
  return digest(signed || cookie).slice(0, SID_LENGTH);
}

/** SHA-256 in base64url, without padding (RFC 4648, section 5). */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
