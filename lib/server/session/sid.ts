import { digest } from '@/lib/server/runtime';

const SID_LENGTH = 22;

/**
 * Derives a session id from its cookie without revealing the cookie. Only the signed part counts: a signature has
 * several valid encodings, and an ended session must not be accepted under another encoding.
 */
export function getSessionId(cookie: string): string {
  const signed = cookie.slice(0, cookie.lastIndexOf('.'));
  return digest(signed || cookie).slice(0, SID_LENGTH);
}
