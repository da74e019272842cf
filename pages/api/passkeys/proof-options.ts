import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { createProofOptions } from '@/lib/server/passkeys';
import { bySession, requireSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Creates the options with which the signed-in user shows a passkey again before a change of the account. */
export default ownRoute({ limit: bySession('passkey-options') }, async ({ req }) => {
  const rp = requireRelyingParty(req);
  const { status } = await requireSession(req);
  return createProofOptions(rp, status.uid);
});
