import { tryTypedPassword } from '@/lib/shared/account/typed-password';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { verifyPassword } from '../provider/password-user';
import { completeSignIn } from './complete-sign-in';
import { type SignInFailure, isCredentialFailure, toAuthErrorCode } from './error-codes';

/** Signs in with email and password, opens the session and redirects. @returns null when the redirect is in progress */
export async function signInWithPassword(
  env: PublicEnv,
  email: string,
  password: string,
): Promise<SignInFailure | null> {
  try {
    const attempt = (form: string) => verifyPassword(env, email, form);
    const user = await tryTypedPassword(password, attempt, (error) => isCredentialFailure(toAuthErrorCode(error)));
    return await completeSignIn(env, user, 'password');
  } catch (error) {
    const code = toAuthErrorCode(error);
    if (code === 'unknown') reportError(error, { during: 'password sign-in' });
    return { code, retryAfter: null };
  }
}
