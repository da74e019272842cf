import { apiRoute } from '@/lib/server/http/api-route';
import { addPasskey } from '@/lib/server/passkeys/addition';
import { requireRelyingParty } from '@/lib/server/http/relying-party';
import { attestationBody } from '@/lib/server/passkeys/schemas';
import { requireSessionNow } from '@/lib/server/session/require-session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

/** Stores the passkey that an authenticator has created with our options. */
export default apiRoute(
  { method: 'POST', body: attestationBody, stateChanging: true, audience: 'own', limit: 'create-session' },
  async ({ req, body }) =>
    addPasskey(requireRelyingParty(req), body, await requireSessionNow(req), toSessionRequest(req)),
);
