import * as z from 'zod/mini';
import { readHostCookie } from '@/lib/server/http/cookies';
import { apiRoute } from '@/lib/server/http/api-route';
import { requireOffered } from '@/lib/server/policy/second-factor-offered';
import { respondToSignIn } from '@/lib/server/second-factor/respond';
import { factorFields, toFactorCode } from '@/lib/server/second-factor/schemas';
import { completeSignIn } from '@/lib/server/second-factor/sign-in';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

/** Creates the session of a sign-in that has waited for its second factor. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ ...factorFields, remember: z.optional(z.boolean()) }),
    stateChanging: true,
    checksAccount: false,
    audience: 'own',
    limit: 'create-session',
  },
  async ({ req, res, body: { remember = false, ...body } }) => {
    requireOffered();
    const secret = readHostCookie(req, 'pendingSignIn');
    const request = toSessionRequest(req);
    const remembersBrowser = remember && (await request.allowsRemembering());
    const completed = completeSignIn(secret, toFactorCode(body), request, remembersBrowser);
    const answer = await respondToSignIn({ req, res }, completed);
    return { ...answer, codesLeft: (await completed).codesLeft };
  },
);
