import { createHash } from 'node:crypto';

/** SHA-256 in base64url, without padding (RFC 4648, section 5). */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
