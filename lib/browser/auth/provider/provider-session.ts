import type { Auth, UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { loadAuth } from './firebase';
import { expectProvider, forgetProvider } from '../pending';
import { isSharedComputer } from '../sign-in/this-device';

/** @returns a newly issued ID token, or null if the user is not signed in at the identity provider in this browser */
export async function fetchIdToken(env: PublicEnv, uid: string): Promise<string | null> {
  const auth = await loadAuth(env);
  await auth.authStateReady();
  return auth.currentUser?.uid === uid ? auth.currentUser.getIdToken(true) : null;
}

/**
 * Signs out of the identity provider in this browser. It never throws, because a failure must not block the rest of the
 * sign-out.
 * @returns the failure, which it has reported, or null on success
 */
export async function signOutOfFirebase(env: PublicEnv): Promise<Error | null> {
  try {
    const auth = await loadAuth(env);
    await auth.signOut();
    forgetProvider();
    return null;
  } catch (error) {
    reportError(error, { during: 'signing out of the identity provider' });
    return error as Error;
  }
}

/**
 * Rolls back a sign-in at the identity provider that cannot be completed. If the sign-in created an account, the
 * account is deleted.
 */
export async function discardSignIn(env: PublicEnv, result: UserCredential): Promise<void> {
  const { getAdditionalUserInfo } = await import('./sdk');
  if (getAdditionalUserInfo(result)?.isNewUser) await result.user.delete();
  else await signOutOfFirebase(env);
}

/**
 * Loads the SDK for a sign-in. Every sign-in at the SDK uses it. On a shared computer, its user stays in this tab, even if
 * the SDK was started before the learner said so. A page that is closed half-way leaves a user whom the next sign-in
 * signs out.
 */
export async function loadAuthToSignIn(env: PublicEnv): Promise<Auth> {
  const auth = await loadAuth(env);
  if (isSharedComputer()) {
    const { browserSessionPersistence, setPersistence } = await import('./sdk');
    await setPersistence(auth, browserSessionPersistence);
  }
  expectProvider();
  return auth;
}
