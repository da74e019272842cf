import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { addPasskey, attestationBody } from '@/lib/server/passkeys';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Stores the passkey that an authenticator has created. */
export default ownRoute({ body: attestationBody, limit: bySession('create-session') }, async ({ req, body }) =>
  addPasskey(requireRelyingParty(req), body, await requireOwnSession(req), toSessionRequest(req)),
);
