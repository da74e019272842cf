import { recordKnownBrowser } from '@/lib/server/notifications';
import {
  ownRoute,
  appendCookies,
  applySharedComputerExpiry,
  buildClearCookie,
  requireRelyingParty,
} from '@/lib/server/http';
import { assertionBody, signInWithPasskey } from '@/lib/server/passkeys';
import { countByBrowser, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Creates a session for the user whose passkey has signed the challenge. */
export default ownRoute(
  { body: assertionBody, checksAccount: false, limit: 'create-session', countElsewhere: countByBrowser },
  async ({ req, res, body }) => {
    const { cookies, email, uid, signal, deletionAt } = await signInWithPasskey(
      requireRelyingParty(req),
      body,
      toSessionRequest(req),
    );
    // A sign-in with the password may wait for its second factor.
    const clear = buildClearCookie('pendingSignIn');
    appendCookies(res, [...applySharedComputerExpiry(req, cookies), clear]);
    if (email !== null) appendCookies(res, await recordKnownBrowser(req, email));
    return { uid, signal, ...(deletionAt !== null && { deletionAt }) };
  },
);
