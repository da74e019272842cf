import { createHash } from 'node:crypto';

const SID_LENGTH = 22;

/**
 * Names a session by its cookie without giving the cookie away. Only the signed part counts: the signature can be
 * spelled in several ways, and an ended session must not come back under another spelling.
 */
export function sidOf(cookie: string): string {
  const signed = cookie.slice(0, cookie.lastIndexOf('.'));
  return digest(signed || cookie).slice(0, SID_LENGTH);
}

/** SHA-256 in base64url. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
