import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { createSignInOptions } from '@/lib/server/passkeys';
import { requireEnabled, toSessionRequest } from '@/lib/server/session';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';

export const config = { api: { bodyParser: false } };

/**
 * Creates the options to sign in with a passkey (WebAuthn Level 3). Except for the challenge, they are the same for
 * every visitor.
 */
export default ownRoute({ checksAccount: false, limit: 'passkey-options' }, async ({ req }) => {
  const rp = requireRelyingParty(req);
  await requireEnabled(PASSKEY_METHOD, toSessionRequest(req));
  return createSignInOptions(rp);
});
