import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { openSession } from './enter';
import type { LoginMode } from './events';
import { loadAuth } from './firebase';

/**
 * Signs in with a custom token from our server and opens the session (specification, section 4).
 * @param method what the person used, for the note on this device
 * @param mode what led here
 * @returns whether the session is open
 */
export async function signInWithToken(
  env: PublicEnv,
  customToken: string,
  method: string,
  mode: LoginMode,
): Promise<boolean> {
  try {
    const [auth, { signInWithCustomToken }] = await Promise.all([loadAuth(env), import('./sdk')]);
    const { user } = await signInWithCustomToken(auth, customToken);
    return (await openSession(env, user, method, mode)).ok;
  } catch (error) {
    reportError(error, { during: 'sign-in with a custom token' });
    return false;
  }
}
