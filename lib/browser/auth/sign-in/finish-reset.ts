import type { PasswordReset } from '@/lib/browser/account/api';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { goOn } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths } from '@/lib/shared/paths';
import { loadAuthToSignIn, signOutOfFirebase } from '../provider/provider-session';
import { requestSession } from './complete-sign-in';
import { goToSecondFactor, redirectToRequiredStep } from './required-step';

/**
 * Signs in after a password reset, and continues. If the sign-in fails, the password stays set and the next page asks the
 * user to sign in.
 */
export async function finishReset(env: PublicEnv, reset: PasswordReset): Promise<void> {
  try {
    if (await signIn(env, reset)) return;
  } catch (error) {
    reportError(error, { during: 'signing in after a password reset' });
  }
  // The typed address was the recovery email, with which no one signs in.
  if (reset.email !== undefined) carriedEmail.set(reset.email);
  window.location.assign(paths.forgetPasswordConfirmation);
}

/** @returns whether the page is being left for a step, or for a scheduled deletion */
async function signIn(env: PublicEnv, { customToken, step }: PasswordReset): Promise<boolean> {
  if (step !== undefined) return goToSecondFactor(env, 'password', step);
  if (customToken === undefined) return false;
  const [auth, { signInWithCustomToken }] = await Promise.all([loadAuthToSignIn(env), import('../provider/sdk')]);
  const { user } = await signInWithCustomToken(auth, customToken);
  const result = await requestSession(env, user, 'password');
  if (result.ok) {
    const isDeleted = result.data?.deletionAt !== undefined;
    if (isDeleted) goOn(env, result.data ?? {});
    return isDeleted;
  }
  if (result.status === 403 && (await redirectToRequiredStep(env, user, 'password', result)) === null) return true;
  // Until a session is open, no token of the identity provider may stay in this browser.
  await signOutOfFirebase(env);
  return false;
}
