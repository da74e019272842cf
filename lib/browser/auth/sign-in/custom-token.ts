import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { openSession } from './complete-sign-in';
import type { LoginMode } from './events';
import { loadAuth } from '../provider/firebase';

/**
 * Signs in with a custom token from our server and opens the session (docs/product.md#states).
 * @param method the sign-in method that was used, stored on this device
 * @param mode what led to the sign-in
 * @returns whether the session is open
 */
export async function signInWithToken(
  env: PublicEnv,
  customToken: string,
  method: string,
  mode: LoginMode,
): Promise<boolean> {
  try {
    const [auth, { signInWithCustomToken }] = await Promise.all([loadAuth(env), import('../provider/sdk')]);
    const { user } = await signInWithCustomToken(auth, customToken);
    return (await openSession(env, user, method, mode)).ok;
  } catch (error) {
    reportError(error, { during: 'sign-in with a custom token' });
    return false;
  }
}
