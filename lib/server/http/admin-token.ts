import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';

/**
 * Authenticates operators: `Authorization: Bearer` with the configured admin token (RFC 6750), compared in constant
 * time. Without a configured token every request is refused.
 * @throws ApiProblem 401 `admin-token-required` without one, 403 `admin-token-wrong` with another
 */
export function requireAdmin(req: Pick<IncomingMessage, 'headers'>, res: ServerResponse): void {
  const [, given] = /^bearer +([\w.~+/=-]+) *$/i.exec(req.headers.authorization ?? '') ?? [];
  if (given === undefined) {
    res.setHeader('www-authenticate', 'Bearer realm="admin"');
    throw new ApiProblem('admin-token-required');
  }
  const expected = env().ADMIN_TOKEN;
  if (expected === undefined || !timingSafeEqual(digest(given), digest(expected)))
    throw new ApiProblem('admin-token-wrong');
}

/** Of constant length, regardless of the text's length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
