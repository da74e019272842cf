import type { ApiResult, CallFailure } from '@/lib/browser/api-client';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { loadAuthToSignIn } from '../provider/provider-session';
import { completeSignIn } from './complete-sign-in';
import type { SignInFailure } from './error-codes';
import { goToSecondFactor } from './required-step';
import { EMAIL_LINK_METHOD } from './this-device';

/**
 * Signs in with the code or the link of an email, opens the session and redirects.
 * @param redeem uses up the code or link, and returns a custom token
 * @returns null when the redirect is in progress
 * @throws the SDK's errors
 */
export async function signInByEmail(
  env: PublicEnv,
  redeem: () => Promise<ApiResult<{ customToken: string }>>,
): Promise<CallFailure | SignInFailure | null> {
  // Load the SDK first, because nothing may be used up if the sign-in cannot continue.
  const [auth, { signInWithCustomToken }] = await Promise.all([loadAuthToSignIn(env), import('../provider/sdk')]);
  const result = await redeem();
  if (!result.ok) return (await goToSecondFactor(env, EMAIL_LINK_METHOD, result.code)) ? null : result;
  const { user } = await signInWithCustomToken(auth, result.data.customToken);
  return completeSignIn(env, user, EMAIL_LINK_METHOD);
}
