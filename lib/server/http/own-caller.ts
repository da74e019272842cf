import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/api/problem';
import { env, type Env } from '@/lib/config/env';
import { requestOrigin } from '../request-origin';

/**
 * Lets a call pass only when a page of this very app made it. For calls that give out what opens a session: other pages
 * of the main domain have no business with it, and a caller that names no origin has none either.
 * @throws ApiProblem `foreign-origin`
 */
export function checkOwnCaller(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): void {
  const { origin } = req.headers;
  const own = [config.NEXT_PUBLIC_APP_ORIGIN, requestOrigin(req, config)];
  if (origin === undefined || !own.includes(origin)) throw new ApiProblem('foreign-origin');
}
