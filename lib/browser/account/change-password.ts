import { changeAccountPassword, setFirstAccountPassword, type CallFailure } from './api';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { broadcastSignIn } from '../auth/sign-in/broadcast-sign-in';
import { toAuthErrorCode, type AuthErrorCode } from '../auth/sign-in/error-codes';
import { loadAuth } from '../auth/provider/firebase';

export type ChangeFailure = { code: AuthErrorCode | CallFailure['code']; retryAfter: number | null };

/**
 * Changes the password of the session's user. The server verifies the current one and sets the new one
 * (docs/product.md#states). All other sessions are revoked; this browser gets a new one.
 * @param user the session's user
 * @returns null on success; `auth/wrong-password`, `auth/requires-recent-login` and others otherwise
 */
export async function changePassword(
  env: PublicEnv,
  user: { email: string | null },
  passwords: { current: string; next: string },
): Promise<ChangeFailure | null> {
  try {
    const { email } = getCurrentUser(user);
    const result = await changeAccountPassword(passwords.current, passwords.next);
    if (!result.ok) return toChangeFailure(result);
    await renewProvider(env, email, passwords.next);
    return null;
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Sets the first password in the new system for a user who has just signed in with the password of the old one.
 * @returns null when the password is set and the session is open
 */
export async function setFirstPassword(env: PublicEnv, next: string): Promise<ChangeFailure | null> {
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    const user = getCurrentUser(auth.currentUser);
    const result = await setFirstAccountPassword(await user.getIdToken(), next);
    if (!result.ok) return toChangeFailure(result);
    await renewProvider(env, user.email, next);
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
  if (!hasEmail(user)) throw new Error('No user present!');
  return user;
}

function hasEmail<User extends { email: string | null }>(user: User | null): user is User & { email: string } {
  return Boolean(user?.email);
}

/**
 * The new password revoked this browser's sign-in at the provider. The session is already open: a failure here is
 * harmless.
 */
async function renewProvider(env: PublicEnv, email: string, password: string): Promise<void> {
  try {
    const [auth, { signInWithEmailAndPassword }] = await Promise.all([loadAuth(env), import('../auth/provider/sdk')]);
    const { user } = await signInWithEmailAndPassword(auth, email, password);
    broadcastSignIn(user, 'password', 'update');
  } catch (error) {
    reportError(error, { during: 'signing in with the new password' });
  }
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
