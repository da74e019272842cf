import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { enter, type EntryFailure } from './enter';
import { authErrorCodeOf } from './error-codes';
import { loadAuth } from './firebase';

/** Starts the SDK before it is needed. */
export async function prepare(env: PublicEnv): Promise<void> {
  await loadAuth(env);
}

/** Signs in with e-mail and password, opens the session and hands over. @returns null when the hand-over is under way */
export async function signInWithPassword(
  env: PublicEnv,
  email: string,
  password: string,
): Promise<EntryFailure | null> {
  try {
    const [auth, { signInWithEmailAndPassword }] = await Promise.all([loadAuth(env), import('./sdk')]);
    const { user } = await signInWithEmailAndPassword(auth, email, password);
    return await enter(env, user, 'password');
  } catch (error) {
    const code = authErrorCodeOf(error);
    if (code === 'unknown') reportError(error, { during: 'password sign-in' });
    return { code, retryAfter: null };
  }
}
