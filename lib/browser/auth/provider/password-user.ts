import type { User } from 'firebase/auth';
import { hasMarketingConsent } from '@/lib/browser/cookies';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import type { AuthErrorCode } from '../sign-in/error-codes';
import type { ProviderAccount } from '../sign-in/events';
import type { ProvedUser } from '../sign-in/proved-user';
import { isSharedComputer } from '../sign-in/this-device';
import { callProvider } from './call-provider';
import { loadAuthToSignIn } from './provider-session';

/** The provider's answers that have a message at sign-in. */
const CODES: Partial<Record<string, AuthErrorCode>> = {
  INVALID_LOGIN_CREDENTIALS: 'auth/invalid-credential',
  INVALID_PASSWORD: 'auth/wrong-password',
  EMAIL_NOT_FOUND: 'auth/user-not-found',
  USER_DISABLED: 'auth/user-disabled',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'auth/too-many-requests',
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: 'auth/password-does-not-meet-requirements',
};

type Answer = {
  localId: string;
  idToken: string;
  email: string;
  displayName: string;
  error: { message?: unknown };
};

/**
 * Verifies a password with one request to the identity provider (REST method `accounts:signInWithPassword`). The SDK
 * needs two requests, and a learner on a phone waits for its code. The SDK signs in only if something needs its user, or
 * if the provider asks for more than a password.
 * @throws an error with an `AuthErrorCode`: the password is refused, too many attempts, or the provider is unreachable
 */
export async function verifyPassword(env: PublicEnv, email: string, password: string): Promise<ProvedUser | User> {
  // Only the SDK's user can renew a session of another deployment.
  if (!env.customTokens) return signInBySdk(env, email, password);
  const question = { email, password, returnSecureToken: true };
  const { ok, body } = await callProvider<Answer>(env, 'accounts:signInWithPassword', question).catch(() => {
    throw toError('auth/network-request-failed');
  });
  const { localId, idToken, error } = body;
  if (!ok || !localId || !idToken) {
    // A reason may follow the code, after a colon.
    const code = CODES[/^\w+/.exec(String(error?.message))?.[0] ?? ''];
    if (code !== undefined) throw toError(code);
    return signInBySdk(env, email, password);
  }
  return {
    uid: localId,
    email: body.email ?? email,
    displayName: body.displayName || null,
    getIdToken: () => Promise.resolve(idToken),
    signInAtProvider: () => signInBySdk(env, email, password),
    account: isAnalyzed(env) ? findAccount(env, idToken) : null,
  };
}

const toError = (code: AuthErrorCode) => Object.assign(new Error(code), { code });

async function signInBySdk(env: PublicEnv, email: string, password: string): Promise<User> {
  const [auth, { signInWithEmailAndPassword }] = await Promise.all([loadAuthToSignIn(env), import('./sdk')]);
  return (await signInWithEmailAndPassword(auth, email, password)).user;
}

/** Whether analytics describes the account. It does so only with the learner's consent, and not on a shared computer. */
const isAnalyzed = ({ mixpanel }: PublicEnv) => mixpanel !== null && hasMarketingConsent() && !isSharedComputer();

async function findAccount(env: PublicEnv, idToken: string): Promise<ProviderAccount | null> {
  try {
    const { findProviderAccount } = await import('./provider-account');
    return await findProviderAccount(env, idToken);
  } catch {
    // The sign-in is recorded without it.
    return null;
  }
}
