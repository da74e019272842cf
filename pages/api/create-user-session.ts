import {
  appendCookies,
  applySharedComputerExpiry,
  buildClearCookie,
  readHostCookie,
  apiRoute,
  tokenSchema,
} from '@/lib/server/http';
import { recordKnownBrowser } from '@/lib/server/notifications';
import { readSignal } from '@/lib/server/passkeys';
import { countByBrowser, getSessionBackend, toSessionRequest, watchSignIn } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Creates a session from the identity provider's ID token (docs/product.md#calls). */
export default apiRoute(
  { method: 'POST', body: tokenSchema, stateChanging: true, limit: 'create-session', countElsewhere: countByBrowser },
  async ({ req, res, body: { token } }) => {
    const created = await watchSignIn(req, token, () => getSessionBackend().open(token, toSessionRequest(req)));
    const { cookies, email, user, announcedFrom, deletionAt } = created;
    appendCookies(res, applySharedComputerExpiry(req, cookies));
    // A waiting sign-in in this browser is now complete, or belongs to another account.
    if (readHostCookie(req, 'pendingSignIn') !== undefined) appendCookies(res, [buildClearCookie('pendingSignIn')]);
    if (email !== null) appendCookies(res, await recordKnownBrowser(req, email));
    const signal = await readSignal(req, user);
    return {
      ...(signal && { signal }),
      ...(announcedFrom !== null && { secondFactorFrom: announcedFrom }),
      ...(deletionAt !== null && { deletionAt }),
    };
  },
);
