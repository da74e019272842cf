import type { Auth, User } from 'firebase/auth';
import { setAccountPassword, type CallFailure } from '@/lib/account/calls';
import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { authStatus } from '@/lib/session/status';
import { ensureProviderUser } from './auto-sign-in';
import { noteEntry } from './enter';
import { authErrorCodeOf, type AuthErrorCode } from './error-codes';
import { loadAuth } from './firebase';

export type ChangeFailure = { code: AuthErrorCode | CallFailure['code']; retryAfter: number | null };

/**
 * Changes the password of who is signed in: first re-authenticates with the present one, then has the new one set
 * (specification, section 4). All other sessions end; this browser gets a new one.
 * @returns null when done; `auth/wrong-password`, `auth/requires-recent-login` and others otherwise
 */
export async function changePassword(env: PublicEnv, current: string, next: string): Promise<ChangeFailure | null> {
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    // A session may have outlived what the identity provider knew in this browser.
    const known = authStatus();
    if (known.status === 'authenticated') await ensureProviderUser(env, known.session.uid);
    const { user, email } = presentUser(auth);
    const { EmailAuthProvider, reauthenticateWithCredential } = await import('./sdk');
    await reauthenticateWithCredential(user, EmailAuthProvider.credential(email, current));
    return await setPasswordOf(auth, user, next);
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * Sets the first password of the new system for somebody who has just signed in with the one of the old.
 * @returns null when done and the session is open
 */
export async function setFirstPassword(env: PublicEnv, next: string): Promise<ChangeFailure | null> {
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    return await setPasswordOf(auth, presentUser(auth).user, next);
  } catch (error) {
    return failureOf(error);
  }
}

/** The address of who is signed in at the identity provider, or null. */
export async function presentEmail(env: PublicEnv): Promise<string | null> {
  const auth = await loadAuth(env);
  await auth.authStateReady();
  return auth.currentUser?.email ?? null;
}

/** @throws Error `No user present!` (specification, section 5) */
export function presentUser({ currentUser }: Pick<Auth, 'currentUser'>): { user: User; email: string } {
  if (!currentUser?.email) throw new Error('No user present!');
  return { user: currentUser, email: currentUser.email };
}

async function setPasswordOf(auth: Auth, user: User, password: string): Promise<ChangeFailure | null> {
  const answer = await setAccountPassword(await user.getIdToken(), password);
  if (!answer.ok) return answer;
  await renewProvider(auth, user.email ?? '', password);
  return null;
}

/** The new password ended what this browser had at the provider. The session is open already: a failure here is no loss. */
async function renewProvider(auth: Auth, email: string, password: string): Promise<void> {
  try {
    const { signInWithEmailAndPassword } = await import('./sdk');
    const { user } = await signInWithEmailAndPassword(auth, email, password);
    noteEntry(user, 'password', 'update');
  } catch (error) {
    reportError(error, { during: 'signing in with the new password' });
  }
}

function failureOf(error: unknown): ChangeFailure {
  const code = authErrorCodeOf(error);
  // Without anybody at the provider there is nobody to re-authenticate: signing in again is the way on.
  if (error instanceof Error && error.message === 'No user present!')
    return { code: 'auth/requires-recent-login', retryAfter: null };
  if (code === 'unknown') reportError(error, { during: 'changing the password' });
  return { code, retryAfter: null };
}
