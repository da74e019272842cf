import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { idTokenByCustomToken } from '@/lib/server/identity';
import {
  getSessionBackend,
  mintCustomTokenForProof,
  type CreatedSession,
  type SessionRequest,
} from '@/lib/server/session';
import { verifyAssertion } from './assertion';
import { toSignal } from './list';
import type { RelyingParty } from '@/lib/server/http';
import type { Assertion } from './schemas';

/** `signal`: all passkeys of the account, for the browser's password managers. */
export type PasskeySignIn = CreatedSession & { uid: string; signal: PasskeySignal | null };

/**
 * Signs a user in with a passkey. The custom token is exchanged here: no token of the identity provider reaches the browser
 * (docs/adr/0030).
 * @throws ApiProblem as `verifyAssertion` and `SessionBackend.open`
 */
export async function signInWithPasskey(
  rp: RelyingParty,
  { challenge, response }: { challenge: string; response: Assertion },
  request: SessionRequest,
): Promise<PasskeySignIn> {
  const { account, passkeys, method, unverifiedPasskey } = await verifyAssertion(
    rp,
    { challenge, response, uid: null },
    request,
  );
  const { uid } = account.user;
  const token = await idTokenByCustomToken(await mintCustomTokenForProof(uid, method));
  const created = await getSessionBackend().open(token, request, unverifiedPasskey);
  return { ...created, uid, signal: toSignal(rp, account.user, passkeys) };
}
