import * as z from 'zod/mini';
import { LINK_CODE_MAX } from '@/lib/shared/account/email-action';
import { describeClient } from '@/lib/server/runtime';
import { ownRoute, appendCookies } from '@/lib/server/http';
import { hasEndedSession, buildEndedSessionCookies } from '@/lib/server/session';
import { disavowSignIn } from '@/lib/server/accounts';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: z.string().check(z.minLength(1), z.maxLength(LINK_CODE_MAX)) });

/** Undoes a sign-in by the link of the email about it. It creates no session, and signs out a browser whose session it ended. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { code } }) => {
  const email = await disavowSignIn(code, describeClient(req));
  // Without this, the page would notice later, and leave for sign-in before a new password is chosen.
  if (await hasEndedSession(req)) appendCookies(res, buildEndedSessionCookies(req));
  return { email };
});
