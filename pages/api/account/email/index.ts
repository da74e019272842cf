import * as z from 'zod/mini';
import { EMAIL_SENT, emailAndRespond, prepareEmailChange } from '@/lib/server/accounts';
import { appendCookies, applySharedComputerExpiry, buildSetCookie, ownRoute, tokenField } from '@/lib/server/http';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { emailField } from '@/lib/shared/account/fields';

export const config = { api: { bodyParser: false } };

const body = z.object({
  email: emailField,
  token: z.optional(tokenField),
  use: z.optional(z.enum(['main', 'recovery'])),
});

/**
 * Emails a code to a new address, or a recovery address, of the signed-in user, who has just re-authenticated. The response
 * does not reveal whether the address has an account.
 */
export default ownRoute({ body, limit: bySession('try-code') }, async ({ req, res, body: { email, token, use } }) => {
  const session = await requireOwnSession(req);
  const request = toSessionRequest(req);
  const { result } = await emailAndRespond({ req, res }, { purpose: 'email-change', email }, () =>
    prepareEmailChange({ kind: use ?? 'main', session, token, to: email, request }),
  );
  appendCookies(res, applySharedComputerExpiry(req, [buildSetCookie('emailChange', result)]));
  return EMAIL_SENT;
});
