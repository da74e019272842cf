import { carriedName, carriedWay } from '@/lib/browser/account/carried-email';
import { removeCookie, writeCookie } from '@/lib/browser/cookies';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { pathWithFlow, paths } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { loadAuth } from '../provider/firebase';
import { openSession } from './complete-sign-in';

/**
 * The address was confirmed in the browser that registered it: signs in and leads on. The address stays confirmed even if the
 * sign-in fails: the next page then asks the user to sign in.
 * @param method by which it was registered, or its provider's id
 * @param flow of the registration
 */
export async function finishRegistration(
  env: PublicEnv,
  { customToken, method, flow }: { customToken: string; method: string; flow: string | undefined },
): Promise<void> {
  carriedName.forget();
  carriedWay.forget();
  let signedIn = false;
  try {
    const [auth, { signInWithCustomToken }] = await Promise.all([loadAuth(env), import('../provider/sdk')]);
    const { user } = await signInWithCustomToken(auth, customToken);
    signedIn = (await openSession(env, user, method, 'signUp')).ok;
  } catch (error) {
    reportError(error, { during: 'sign-in with a custom token' });
  }
  // The emailed link, opened in another tab, may have set it.
  if (signedIn) removeCookie('registrationRequiresSignIn', env.mainDomain);
  else writeCookie('registrationRequiresSignIn', '1', env.mainDomain);
  // Registered without a password: the passkey comes next, or a code. There is nothing else to sign in with.
  if (method !== PASSKEY_METHOD) window.location.assign(paths.registrationSuccess);
  else window.location.assign(signedIn ? paths.addPasskey : pathWithFlow(paths.registrationConfirm, flow));
}
