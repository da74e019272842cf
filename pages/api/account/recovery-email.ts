import * as z from 'zod/mini';
import { removeOwnRecoveryEmail, useRecoveryEmail } from '@/lib/server/accounts';
import { ownRoute, tokenField } from '@/lib/server/http';
import { bySession, requireOwnSession, respondWithRenewed, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ change: z.enum(['remove', 'use']), token: z.optional(tokenField) });

/**
 * Removes the recovery email of the signed-in user, who has just re-authenticated, or makes it the account's email. The
 * latter ends all sessions and creates a new session.
 */
export default ownRoute({ body, limit: bySession('try-code') }, async ({ req, res, body: { change, token } }) => {
  const session = await requireOwnSession(req);
  const request = toSessionRequest(req);
  if (change === 'use') return respondWithRenewed({ req, res }, await useRecoveryEmail(session, token, request));
  await removeOwnRecoveryEmail(session, token, request);
  return {};
});
