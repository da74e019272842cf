import { z } from 'zod';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { appendCookies, clearCookieHeader } from '@/lib/cookies/server';
import { apiRoute } from '@/lib/server/api';
import { issueMobileCode } from '@/lib/server/mobile/codes';
import { keptMobileRequest, nameOf } from '@/lib/server/mobile/request';
import { sessionCookieOf } from '@/lib/server/session';
import { proveSession } from '@/lib/server/session/custom-token';

export const config = { api: { bodyParser: false } };

const body = z.object({ request: z.string() });

/** The learner lets the mobile app in with the signed-in account: answers the address that takes a code there. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, audience: 'own', limit: 'mobile-authorize' },
  async ({ req, res, body: { request: name } }) => {
    const request = keptMobileRequest(req);
    if (request === null || nameOf(request) !== name) throw new ApiProblem('bad-request');
    const cookie = sessionCookieOf(req);
    if (cookie === null) throw new ApiProblem('session-required');
    const address = await issueMobileCode(await proveSession(cookie), request);
    appendCookies(res, [clearCookieHeader('mobileRequest', env().NEXT_PUBLIC_MAIN_DOMAIN)]);
    return { address };
  },
);
