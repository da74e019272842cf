import { z } from 'zod';
import { ApiProblem } from '@/lib/shared/problem';
import { appendCookies, buildClearCookie, ownRoute } from '@/lib/server/http';
import {
  bySession,
  issueMobileCode,
  readKeptMobileRequest,
  getAppName,
  requireOwnRecentSession,
} from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ request: z.string() });

/** Authorizes the mobile app with the signed-in account, and returns the callback URL with a code. */
export default ownRoute(
  { body, limit: bySession('mobile-authorize') },
  async ({ req, res, body: { request: name } }) => {
    const request = readKeptMobileRequest(req);
    if (request === null || getAppName(request) !== name) throw new ApiProblem('bad-request');
    const address = await issueMobileCode(await requireOwnRecentSession(req), request);
    appendCookies(res, [buildClearCookie('mobileRequest')]);
    return { address };
  },
);
