import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/shared/problem';
import { env, type Env } from '@/lib/server/runtime';
import { getRequestOrigin } from './request-origin';

/**
 * Allows a call only from a page of this app. For calls that return credentials for a session: other pages of the main
 * domain and callers without an `Origin` must not read them.
 * @throws ApiProblem `foreign-origin`
 */
export function assertOwnOrigin(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): void {
  const { origin } = req.headers;
  const own = [config.NEXT_PUBLIC_APP_ORIGIN, getRequestOrigin(req, config)];
  if (origin === undefined || !own.includes(origin)) throw new ApiProblem('foreign-origin');
}
