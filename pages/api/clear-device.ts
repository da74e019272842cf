import { appendCookies, ownRoute } from '@/lib/server/http';
import { findLeftClients, toSignedOut } from '@/lib/server/oidc';
import { endSession, buildClearedDeviceCookies } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Ends the session and removes every cookie of a user. Scripts cannot do this: half of the cookies are HttpOnly. */
export default ownRoute({ limit: 'end-session' }, async ({ req, res }) => {
  // Clear the browser first: it must hold even when the provider is unreachable.
  appendCookies(res, buildClearedDeviceCookies(req));
  // The end of the session deletes the list of its clients.
  const left = await findLeftClients(req);
  await endSession(req);
  return toSignedOut(left);
});
