import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';
import { ownRoute } from '@/lib/server/http';
import { changePassword, respondWithPasswordSet } from '@/lib/server/accounts';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ current: z.string().check(z.minLength(1), z.maxLength(256)), password: newPasswordField });

/**
 * Changes the signed-in user's password and requires the current password. Ends all sessions and creates a new session.
 */
export default ownRoute({ body, limit: bySession('try-code') }, async ({ req, res, body: passwords }) => {
  const session = await changePassword(await requireOwnSession(req), passwords, toSessionRequest(req));
  return respondWithPasswordSet({ req, res }, session);
});
