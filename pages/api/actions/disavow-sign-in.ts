import { ownRoute, appendCookies, linkCodeSchema } from '@/lib/server/http';
import { hasEndedSession, buildEndedSessionCookies, toSessionRequest } from '@/lib/server/session';
import { disavowSignIn } from '@/lib/server/accounts';
import { byLink, readDisavowalLink } from '@/lib/server/codes';

export const config = { api: { bodyParser: false } };

/**
 * Undoes a sign-in by the link of its email, or by this session's answer. It creates no session. If it ended this
 * browser's session, it signs the browser out.
 */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readDisavowalLink) },
  async ({ req, res, body: { code } }) => {
    const outcome = await disavowSignIn(code, toSessionRequest(req));
    // Otherwise, the page would detect this later, and leave for sign-in before a new password is chosen.
    if (await hasEndedSession(req)) appendCookies(res, buildEndedSessionCookies(req));
    return outcome;
  },
);
