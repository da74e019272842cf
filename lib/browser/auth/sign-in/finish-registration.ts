import { carriedName, carriedWay } from '@/lib/browser/account/carried-email';
import { removeCookie, writeCookie } from '@/lib/browser/cookies';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { pathWithFlow, paths } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { loadAuth } from '../provider/firebase';
import { requestSession } from './complete-sign-in';

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
  carriedName.forget();
  carriedWay.forget();
  let signedIn = false;
  try {
    const [auth, { signInWithCustomToken }] = await Promise.all([loadAuth(env), import('../provider/sdk')]);
    const { user } = await signInWithCustomToken(auth, customToken);
    signedIn = (await requestSession(env, user, method, 'signUp')).ok;
  } catch (error) {
    reportError(error, { during: 'sign-in with a custom token' });
  }
  // The emailed link may have set it in another tab.
  if (signedIn) removeCookie('registrationRequiresSignIn', env.mainDomain);
  else writeCookie('registrationRequiresSignIn', '1', env.mainDomain);
  // The account has no password, so the user adds a passkey or enters a code next.
  if (method !== PASSKEY_METHOD) window.location.assign(paths.registrationSuccess);
  else window.location.assign(signedIn ? paths.addPasskey : pathWithFlow(paths.registrationConfirm, flow));
}
