import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { verifyAssertion, assertionBody } from '@/lib/server/passkeys';
import { bySession, requireOwnSession, mintCustomTokenForProof, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Re-authenticates the signed-in user by a passkey. The custom token gives an ID token that changes of the account
 * accept for 5 minutes.
 */
export default ownRoute({ body: assertionBody, limit: bySession('create-session') }, async ({ req, body }) => {
  const rp = requireRelyingParty(req);
  const { status } = await requireOwnSession(req);
  const { method, at } = await verifyAssertion(rp, { ...body, uid: status.uid }, toSessionRequest(req));
  return { customToken: await mintCustomTokenForProof(status.uid, { method, at }) };
});
