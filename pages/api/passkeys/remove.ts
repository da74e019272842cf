import * as z from 'zod/mini';
import { apiRoute } from '@/lib/server/http/api-route';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http/cookies';
import { requireRelyingParty } from '@/lib/server/passkeys/relying-party';
import { removePasskey } from '@/lib/server/passkeys/removal';
import { requireSessionNow } from '@/lib/server/session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

const body = z.object({ id: z.uuid(), token: z.optional(z.string().check(z.minLength(1))) });

/**
 * Removes a passkey of the signed-in user, who has authenticated within 5 minutes; never the last sign-in method. Ends all
 * sessions and creates a new one.
 */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, audience: 'own', limit: 'create-session' },
  async ({ req, res, body: removal }) => {
    const rp = requireRelyingParty(req);
    const removed = await removePasskey(rp, removal, await requireSessionNow(req), toSessionRequest(req));
    const { signal, renewed } = removed;
    if (renewed === null) return { signal };
    appendCookies(res, applySharedComputerExpiry(req, renewed.cookies));
    return { signal, customToken: renewed.customToken };
  },
);
