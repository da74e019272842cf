import { describeClient } from '@/lib/server/runtime';
import { ownRoute, appendCookies, linkCodeSchema } from '@/lib/server/http';
import { hasEndedSession, buildEndedSessionCookies } from '@/lib/server/session';
import { disavowSignIn } from '@/lib/server/accounts';
import { byLink, readDisavowalLink } from '@/lib/server/codes';

export const config = { api: { bodyParser: false } };

/** Undoes a sign-in by the link of the email about it. It creates no session, and signs out a browser whose session it ended. */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readDisavowalLink) },
  async ({ req, res, body: { code } }) => {
    const email = await disavowSignIn(code, describeClient(req));
    // Without this, the page would notice later, and leave for sign-in before a new password is chosen.
    if (await hasEndedSession(req)) appendCookies(res, buildEndedSessionCookies(req));
    return { email };
  },
);
