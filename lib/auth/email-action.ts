import type { EmailAction } from '@/lib/account/email-action';
import type { PublicEnv } from '@/lib/config/public-env';
import { actionQuery, paths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { enter, type EntryFailure } from './enter';
import { authErrorCodeOf, type AuthErrorCode } from './error-codes';
import { loadAuth } from './firebase';

/** What the identity provider calls the codes of each mode. */
const OPERATIONS = {
  resetPassword: 'PASSWORD_RESET',
  verifyEmail: 'VERIFY_EMAIL',
  signIn: 'EMAIL_SIGNIN',
} as const satisfies Record<EmailAction['mode'], string>;

/** A link's address as far as the provider tells it: never for sign-in links. */
export type Inspection =
  | { ok: true; email: string | null }
  | { ok: false; code: AuthErrorCode }
  /** The code is of no more use, but who is signed in here has a confirmed address: what it was for is done. */
  | { ok: false; code: 'confirmed' };

/** Looks at a link's code without using it up. */
export async function inspectAction(env: PublicEnv, action: EmailAction): Promise<Inspection> {
  try {
    const [auth, { checkActionCode }] = await Promise.all([loadAuth(env), import('./sdk')]);
    const { operation, data } = await checkActionCode(auth, action.code);
    if (operation !== OPERATIONS[action.mode]) return { ok: false, code: deadCode(action, 'invalid') };
    return { ok: true, email: data.email ?? null };
  } catch (error) {
    const code = actionFailureOf(error, action);
    if (code === 'INVALID_OOB_CODE' && (await isConfirmed(env, action))) return { ok: false, code: 'confirmed' };
    return { ok: false, code };
  }
}

async function isConfirmed(env: PublicEnv, { mode }: EmailAction): Promise<boolean> {
  const auth = await loadAuth(env);
  await auth.authStateReady();
  return mode === 'verifyEmail' && auth.currentUser?.emailVerified === true;
}

/**
 * Confirms an address, then reloads whoever is signed in (specification, section 4).
 * @returns null when it is confirmed
 */
export async function confirmAddress(env: PublicEnv, action: EmailAction): Promise<AuthErrorCode | null> {
  try {
    const [auth, { applyActionCode }] = await Promise.all([loadAuth(env), import('./sdk')]);
    await applyActionCode(auth, action.code);
    await auth.authStateReady();
    await auth.currentUser?.reload();
    return null;
  } catch (error) {
    return actionFailureOf(error, action);
  }
}

/** Signs in with a link, opens the session and hands over. @returns null when the hand-over is under way */
export async function signInByLink(env: PublicEnv, action: EmailAction, email: string): Promise<EntryFailure | null> {
  try {
    const [auth, { signInWithEmailLink }] = await Promise.all([loadAuth(env), import('./sdk')]);
    const { user } = await signInWithEmailLink(auth, email, linkOf(env, action));
    return await enter(env, user, 'emailLink');
  } catch (error) {
    return { code: actionFailureOf(error, action), retryAfter: null };
  }
}

/** The link as the SDK reads it; the one that was opened has left the address long since. */
function linkOf({ appOrigin, firebase }: PublicEnv, { mode, code }: EmailAction): string {
  const link = new URL(paths.actions, appOrigin);
  link.search = new URLSearchParams({
    [actionQuery.mode]: mode,
    [actionQuery.code]: code,
    apiKey: firebase.apiKey,
  }).toString();
  return link.href;
}

function actionFailureOf(error: unknown, action: EmailAction): AuthErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'auth/expired-action-code') return deadCode(action, 'expired');
  if (code === 'auth/invalid-action-code' || code === 'auth/user-not-found') return deadCode(action, 'invalid');
  // The address that was typed is not the one the link was sent to.
  if (code === 'auth/invalid-email') return 'auth/invalid-email-for-sign-in-link';
  const known = authErrorCodeOf(error);
  if (known === 'unknown') reportError(error, { during: `the e-mail action ${action.mode}` });
  return known;
}

function deadCode({ mode }: EmailAction, why: 'expired' | 'invalid'): AuthErrorCode {
  if (mode === 'signIn') return 'auth/invalid-action-code';
  return why === 'expired' ? 'EXPIRED_OOB_CODE' : 'INVALID_OOB_CODE';
}
