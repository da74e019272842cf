import { changeAccountPassword, setFirstAccountPassword, type CallFailure, type PasswordSet } from './api';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths } from '@/lib/shared/paths';
import { broadcastSignIn } from '../auth/sign-in/broadcast-sign-in';
import { toAuthErrorCode, type AuthErrorCode } from '../auth/sign-in/error-codes';
import { goOn } from '../callback';
import { loadAuth } from '../auth/provider/firebase';
import { loadAuthToSignIn } from '../auth/provider/provider-session';

export type ChangeFailure = { code: AuthErrorCode | CallFailure['code']; retryAfter: number | null };
/** `signed-in`: signed in with the new password. `leaving`: the page is being left. */
type Changed = 'signed-in' | 'leaving';

/**
 * Changes the password of the session's user. The server verifies the current password and sets the new password
 * (docs/product.md#states). All other sessions are revoked, and this browser gets a new session.
 * @param user the session's user
 * @returns the outcome or a failure: `auth/wrong-password`, `auth/requires-recent-login` and others
 */
export async function changePassword(
  env: PublicEnv,
  user: { email: string | null },
  passwords: { current: string; next: string },
): Promise<Changed | ChangeFailure> {
  try {
    const { email } = getCurrentUser(user);
    const result = await changeAccountPassword(passwords.current, passwords.next);
    // The second factor was turned on after the sign-in, so the user must sign in again with it. Setting a first
    // password asks for it directly.
    if (!result.ok && result.code === 'second-factor-required')
      return { ...result, code: 'auth/requires-recent-login' };
    if (!result.ok) return toChangeFailure(result);
    return await follow(env, result.data, email, passwords.next);
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Sets the first password in the new system for a user who has just signed in with the old system's password, and
 * continues to the destination.
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

/** Returns the email address of the user signed in at the identity provider, or null. */
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
 * Continues after the password was set. Without a session, it opens the confirmation page, which asks for the new
 * password. With a session, it signs in at the identity provider again, because the new password has revoked that
 * sign-in. If that fails, it does not matter.
 */
async function follow(env: PublicEnv, set: PasswordSet, email: string, password: string): Promise<Changed> {
  if (!set.signedIn) {
    window.location.assign(paths.forgetPasswordConfirmation);
    return 'leaving';
  }
  try {
    const [auth, { signInWithEmailAndPassword }] = await Promise.all([
      loadAuthToSignIn(env),
      import('../auth/provider/sdk'),
    ]);
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
  // Without a user signed in at the provider, re-authentication is impossible, so the user must sign in again.
  if (error instanceof Error && error.message === 'No user present!')
    return { code: 'auth/requires-recent-login', retryAfter: null };
  if (code === 'unknown') reportError(error, { during: 'changing the password' });
  return { code, retryAfter: null };
}
