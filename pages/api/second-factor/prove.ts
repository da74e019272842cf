import * as z from 'zod/mini';
import { tokenField } from '@/lib/server/http';
import { proveSecondFactor, factorFields, toTypedCode, factorRoute } from '@/lib/server/second-factor';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Re-authenticates the signed-in user by both factors. The custom token gives an ID token that changes of the account
 * accept for 5 minutes.
 */
export default factorRoute(
  { body: z.object({ ...factorFields, token: tokenField }), limit: bySession('create-session') },
  async ({ req, body: { token, ...typed } }) => {
    const session = await requireOwnSession(req);
    const proof = { token, code: toTypedCode(typed) };
    return { customToken: await proveSecondFactor(session, proof, toSessionRequest(req)) };
  },
);
