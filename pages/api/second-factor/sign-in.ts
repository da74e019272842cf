import * as z from 'zod/mini';
import { readHostCookie } from '@/lib/server/http';
import {
  respondToSignIn,
  factorFields,
  toTypedCode,
  completeWaitingSignIn,
  factorRoute,
} from '@/lib/server/second-factor';
import { countByBrowser, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Creates the session of a sign-in that was waiting for its second factor. */
export default factorRoute(
  {
    body: z.object({ ...factorFields, remember: z.optional(z.boolean()) }),
    checksAccount: false,
    limit: 'create-session',
    countElsewhere: countByBrowser,
  },
  async ({ req, res, body: { remember = false, ...body } }) => {
    const secret = readHostCookie(req, 'pendingSignIn');
    const request = toSessionRequest(req);
    const remembersBrowser = remember && (await request.allowsRemembering());
    const completed = completeWaitingSignIn(secret, toTypedCode(body), request, remembersBrowser);
    const answer = await respondToSignIn({ req, res }, completed);
    return { ...answer, codesLeft: (await completed).codesLeft };
  },
);
