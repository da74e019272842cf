import * as z from 'zod/mini';
import { ownRoute, tokenField } from '@/lib/server/http';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { checkSignIn } from '@/lib/server/accounts';

export const config = { api: { bodyParser: false } };

const body = z.object({ session: z.uuid(), isOwn: z.boolean(), token: z.optional(tokenField) });

/** Records whether a sign-in on a new browser was the signed-in user's. */
export default ownRoute({ body, limit: bySession('try-code') }, async ({ req, body: answer }) =>
  checkSignIn(await requireOwnSession(req), answer, toSessionRequest(req)),
);
