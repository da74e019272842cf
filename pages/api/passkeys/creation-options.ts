import * as z from 'zod/mini';
import { PASSKEY_SOURCES } from '@/lib/shared/account/passkeys';
import { bySession, requireProof, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { ownRoute, requireRelyingParty, tokenField } from '@/lib/server/http';
import { createAdditionOptions, requireUpgradeProof } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

const body = z.object({ source: z.enum(PASSKEY_SOURCES), token: z.optional(tokenField) });

/** Creates the options for a passkey of the signed-in user, who has authenticated within 5 minutes. */
export default ownRoute({ body, limit: bySession('passkey-options') }, async ({ req, body: { source, token } }) => {
  const rp = requireRelyingParty(req);
  const session = await requireOwnSession(req);
  const request = toSessionRequest(req);
  const proof = await requireProof(session, token, request);
  if (source === 'upgrade') requireUpgradeProof(proof);
  const { brandName } = await request.emailContext();
  return createAdditionOptions(rp, { uid: session.status.uid, source }, brandName);
});
