import type { User } from 'firebase/auth';
import { carriedName, carriedWay } from '@/lib/browser/account/carried-email';
import { removeCookie, writeCookie } from '@/lib/browser/cookies';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { pathWithFlow, paths } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { verifyPassword } from '../provider/password-user';
import { loadAuthToSignIn, signOutOfFirebase } from '../provider/provider-session';
import { requestSession } from './complete-sign-in';
import type { ProvedUser } from './proved-user';

/**
 * Signs in after an email was confirmed in the browser that registered it, and continues. If the sign-in fails, the
 * email stays confirmed and the next page asks the user to sign in.
 * @param method the registration's method, or its provider's id
 * @param flow of the registration
 */
export async function finishRegistration(
  env: PublicEnv,
  { customToken, method, flow }: { customToken: string; method: string; flow: string | undefined },
): Promise<void> {
  const signedIn = await openSession(env, method, async () => {
    const [auth, { signInWithCustomToken }] = await Promise.all([loadAuthToSignIn(env), import('../provider/sdk')]);
    return (await signInWithCustomToken(auth, customToken)).user;
  });
  // The account has no password, so the user adds a passkey or enters a code next.
  if (method !== PASSKEY_METHOD) window.location.assign(paths.registrationSuccess);
  else window.location.assign(signedIn ? paths.addPasskey : pathWithFlow(paths.registrationConfirm, flow));
}

/**
 * Signs in with the password that was chosen to confirm an email in another browser, and continues. If the account
 * requires more than a password, the next page asks the user to sign in.
 */
export async function finishWithPassword(
  env: PublicEnv,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const signedIn = await openSession(env, 'password', () => verifyPassword(env, email, password));
  // Until a session is open, no token of the identity provider may stay in this browser.
  if (!signedIn) await signOutOfFirebase(env);
  window.location.assign(paths.registrationSuccess);
}

/** @returns whether the session is open */
async function openSession(env: PublicEnv, method: string, signIn: () => Promise<User | ProvedUser>): Promise<boolean> {
  carriedName.forget();
  carriedWay.forget();
  let signedIn = false;
  try {
    signedIn = (await requestSession(env, await signIn(), method, 'signUp')).ok;
  } catch (error) {
    reportError(error, { during: 'signing in after a confirmation' });
  }
  // The emailed link may have set it in another tab.
  if (signedIn) removeCookie('registrationRequiresSignIn', env.mainDomain);
  else writeCookie('registrationRequiresSignIn', '1', env.mainDomain);
  return signedIn;
}
