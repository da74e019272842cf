import { tryTypedPassword } from '@/lib/shared/account/typed-password';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { completeSignIn, type SignInFailure } from './complete-sign-in';
import { isCredentialFailure, toAuthErrorCode } from './error-codes';
import { loadAuth } from '../provider/firebase';

export { preloadAuth } from '../provider/firebase';

/** Signs in with email and password, opens the session and redirects. @returns null when the redirect is in progress */
export async function signInWithPassword(
  env: PublicEnv,
  email: string,
  password: string,
): Promise<SignInFailure | null> {
  try {
    const [auth, { signInWithEmailAndPassword }] = await Promise.all([loadAuth(env), import('../provider/sdk')]);
    const attempt = (form: string) => signInWithEmailAndPassword(auth, email, form);
    const { user } = await tryTypedPassword(password, attempt, (error) => isCredentialFailure(toAuthErrorCode(error)));
    return await completeSignIn(env, user, 'password');
  } catch (error) {
    const code = toAuthErrorCode(error);
    if (code === 'unknown') reportError(error, { during: 'password sign-in' });
    return { code, retryAfter: null };
  }
}
