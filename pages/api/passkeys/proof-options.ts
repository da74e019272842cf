import { apiRoute } from '@/lib/server/http/api-route';
import { createProofOptions } from '@/lib/server/passkeys/assertion';
import { requireRelyingParty } from '@/lib/server/http/relying-party';
import { requireSession } from '@/lib/server/session/require-session';

export const config = { api: { bodyParser: false } };

/** Options with which the signed-in user shows a passkey again, before a change of the account. */
export default apiRoute(
  { method: 'POST', stateChanging: true, audience: 'own', limit: 'passkey-options' },
  async ({ req }) => {
    const rp = requireRelyingParty(req);
    const { status } = await requireSession(req);
    return createProofOptions(rp, status.uid);
  },
);
