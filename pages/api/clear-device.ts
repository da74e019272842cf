import { ownRoute } from '@/lib/server/http';
import { endSessionByCall } from '@/lib/server/oidc';
import { bySession, buildClearedDeviceCookies } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Ends the session and removes every cookie of a user. Scripts cannot do this, because half of the cookies are
 * HttpOnly.
 */
export default ownRoute({ limit: bySession('end-session'), clears: buildClearedDeviceCookies }, ({ req }) =>
  endSessionByCall(req),
);
