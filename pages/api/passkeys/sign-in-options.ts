import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { createSignInOptions } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

/** Options to sign in with a passkey (WebAuthn Level 3): the same for every visitor, but for the challenge. */
export default ownRoute({ checksAccount: false, limit: 'passkey-options' }, ({ req }) =>
  createSignInOptions(requireRelyingParty(req)),
);
