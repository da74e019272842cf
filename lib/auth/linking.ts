import type { FirebaseError } from 'firebase/app';
import type { User } from 'firebase/auth';
import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import type { AuthErrorCode } from './error-codes';
import { federatedErrorCode } from './federated-errors';
import { loadAuth } from './firebase';
import { keepPendingLink, type PendingLink } from './pending-link';

/**
 * Keeps the credential of a sign-in that met an account with another method.
 * @returns whether there is one to link; without it the person can only be told
 */
export async function keepCredentialOf(env: PublicEnv, error: unknown, provider: string): Promise<boolean> {
  const [auth, { OAuthProvider, fetchSignInMethodsForEmail }] = await Promise.all([loadAuth(env), import('./sdk')]);
  const credential = OAuthProvider.credentialFromError(error as FirebaseError);
  const email = emailOf(error);
  if (credential === null || email === null) return false;
  // With enumeration protection the list is empty, and the person says it.
  const methods = await fetchSignInMethodsForEmail(auth, email).catch(() => []);
  // A mailed link needs no naming: whoever has the address may always ask for one.
  const named = methods.filter((method) => method !== 'emailLink');
  keepPendingLink({ email, provider, credential: credential.toJSON(), methods: named });
  return true;
}

/**
 * Links the kept credential to the person who has just proved that the account is theirs.
 * @returns null when it is linked
 */
export async function linkPendingTo(user: User, link: PendingLink): Promise<AuthErrorCode | null> {
  if (user.email?.toLowerCase() !== link.email.toLowerCase()) return 'auth/link/invalid-email-for-link';
  // An address nobody has confirmed proves nothing about who else uses it.
  if (!user.emailVerified) return 'auth/email-not-verified';
  try {
    const { OAuthProvider, linkWithCredential } = await import('./sdk');
    await linkWithCredential(user, OAuthProvider.credentialFromJSON(link.credential));
    return null;
  } catch (error) {
    const code = federatedErrorCode(error, link.provider);
    if (code === 'unknown') reportError(error, { during: 'linking', provider: link.provider });
    return code;
  }
}

function emailOf(error: unknown): string | null {
  const data: unknown = typeof error === 'object' && error !== null && 'customData' in error ? error.customData : null;
  const email: unknown = typeof data === 'object' && data !== null && 'email' in data ? data.email : null;
  return typeof email === 'string' ? email : null;
}
