import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { loadAuthToSignIn } from '../auth/provider/provider-session';
import { rememberProvider } from '../auth/pending';
import { proveByAssertion, requestProofOptions } from './ceremony';
import { getAssertion } from './credential';
import { toDialogFailure, toPasskeyFailure, type PasskeyFailure } from './failure';

/**
 * Lets the signed-in user show a passkey again before a change of the account, by a sign-in at the identity provider.
 * @param signal closes the browser's dialog when aborted
 * @returns null when the user is verified
 */
export async function provePasskey(env: PublicEnv, signal?: AbortSignal): Promise<PasskeyFailure | null> {
  const begun = await requestProofOptions();
  if (!begun.ok) return toPasskeyFailure(begun);
  const { options, challenge } = begun.data;
  const openedAt = performance.now();
  try {
    const response = await getAssertion(options, { signal });
    const proved = await proveByAssertion({ challenge, response });
    if (!proved.ok) return toPasskeyFailure(proved);
    const [auth, { signInWithCustomToken }] = await Promise.all([
      loadAuthToSignIn(env),
      import('../auth/provider/sdk'),
    ]);
    await signInWithCustomToken(auth, proved.data.customToken);
    rememberProvider();
    return null;
  } catch (error) {
    const failure = toDialogFailure(error, performance.now() - openedAt);
    if (failure === 'unknown') reportError(error, { during: 'a proof by passkey' });
    return failure;
  }
}
