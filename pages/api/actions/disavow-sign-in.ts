import { ownRoute, appendCookies, linkCodeSchema } from '@/lib/server/http';
import { hasEndedSession, buildEndedSessionCookies, toSessionRequest } from '@/lib/server/session';
import { disavowSignIn } from '@/lib/server/accounts';
import { byLink, readDisavowalLink } from '@/lib/server/codes';

export const config = { api: { bodyParser: false } };

/**
 * Undoes a sign-in by the link of the email about it, or by the answer of this session. It creates no session, and signs out a browser whose
 * session it ended.
 */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readDisavowalLink) },
  async ({ req, res, body: { code } }) => {
    const outcome = await disavowSignIn(code, toSessionRequest(req));
    // Without this, the page would notice later, and leave for sign-in before a new password is chosen.
    if (await hasEndedSession(req)) appendCookies(res, buildEndedSessionCookies(req));
    return outcome;
  },
);
