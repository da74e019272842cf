import { changeAccountPassword, setFirstAccountPassword, type CallFailure, type PasswordSet } from './api';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths } from '@/lib/shared/paths';
import { broadcastSignIn } from '../auth/sign-in/broadcast-sign-in';
import { toAuthErrorCode, type AuthErrorCode } from '../auth/sign-in/error-codes';
import { goOn } from '../callback';
import { loadAuth } from '../auth/provider/firebase';

export type ChangeFailure = { code: AuthErrorCode | CallFailure['code']; retryAfter: number | null };
/** Signed in with the new password, or led on. */
type Changed = 'signed-in' | 'leaving';

/**
 * Changes the password of the session's user. The server verifies the current one and sets the new one
 * (docs/product.md#states). All other sessions are revoked; this browser gets a new one.
 * @param user the session's user
 * @returns where that led, or why not: `auth/wrong-password`, `auth/requires-recent-login` and others
 */
export async function changePassword(
  env: PublicEnv,
  user: { email: string | null },
  passwords: { current: string; next: string },
): Promise<Changed | ChangeFailure> {
  try {
    const { email } = getCurrentUser(user);
    const result = await changeAccountPassword(passwords.current, passwords.next);
    // The second factor was turned on since the sign-in, in which it is shown; a first password is asked for it at once.
    if (!result.ok && result.code === 'second-factor-required')
      return { ...result, code: 'auth/requires-recent-login' };
    if (!result.ok) return toChangeFailure(result);
    return await follow(env, result.data, email, passwords.next);
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Sets the first password in the new system for a user who has just signed in with the password of the old one, and leads on.
 * @returns null when the redirect is in progress
 */
export async function setFirstPassword(env: PublicEnv, next: string): Promise<ChangeFailure | null> {
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    const user = getCurrentUser(auth.currentUser);
    const result = await setFirstAccountPassword(await user.getIdToken(), next);
    if (!result.ok) return toChangeFailure(result);
    if ((await follow(env, result.data, user.email, next)) === 'signed-in') goOn(env, result.data);
    return null;
  } catch (error) {
    return toFailure(error);
  }
}

/** Whether only a new sign-in resolves the failure. */
export function needsRecentSignIn({ code }: ChangeFailure): boolean {
  return code === 'auth/requires-recent-login' || code === 'recent-login-required';
}

/** The email address of the user signed in at the identity provider, or null. */
export async function getCurrentEmail(env: PublicEnv): Promise<string | null> {
  const auth = await loadAuth(env);
  await auth.authStateReady();
  return auth.currentUser?.email ?? null;
}

/** @throws Error `No user present!` (docs/product.md#validation) */
export function getCurrentUser<User extends { email: string | null }>(user: User | null): User & { email: string } {
  if (!user?.email) throw new Error('No user present!');
  return user as User & { email: string };
}

/**
 * Leads to the page that asks for the new password; with a session, signs in at the provider again, whose sign-in the new password has revoked: a
 * failure of that is harmless.
 */
async function follow(env: PublicEnv, set: PasswordSet, email: string, password: string): Promise<Changed> {
  if (!set.signedIn) {
    window.location.assign(paths.forgetPasswordConfirmation);
    return 'leaving';
  }
  try {
    const [auth, { signInWithEmailAndPassword }] = await Promise.all([loadAuth(env), import('../auth/provider/sdk')]);
    const { user } = await signInWithEmailAndPassword(auth, email, password);
    broadcastSignIn(user, 'password', 'update');
  } catch (error) {
    reportError(error, { during: 'signing in with the new password' });
  }
  return 'signed-in';
}

function toChangeFailure(failure: CallFailure): ChangeFailure {
  const { code, status, retryAfter } = failure;
  if (code === 'password-wrong') return { code: 'auth/wrong-password', retryAfter };
  // The session has ended in the meantime.
  return status === 401 ? { code: 'auth/requires-recent-login', retryAfter } : failure;
}

function toFailure(error: unknown): ChangeFailure {
  const code = toAuthErrorCode(error);
  // Without a user signed in at the provider, re-authentication is impossible: the user must sign in again.
  if (error instanceof Error && error.message === 'No user present!')
    return { code: 'auth/requires-recent-login', retryAfter: null };
  if (code === 'unknown') reportError(error, { during: 'changing the password' });
  return { code, retryAfter: null };
}
