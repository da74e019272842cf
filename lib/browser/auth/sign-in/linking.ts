import type { FirebaseError } from 'firebase/app';
import type { User } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import type { AuthErrorCode } from './error-codes';
import { federatedErrorCode } from './federated-errors';
import { loadAuth } from '../provider/firebase';
import { keepPendingLink, type PendingLink } from '../pending';

/**
 * Stores the pending credential of a sign-in that failed because the account uses another method.
 * @returns whether there is a credential to link; if not, the user only sees an error message
 */
export async function keepPendingCredential(env: PublicEnv, error: unknown, provider: string): Promise<boolean> {
  const [auth, { OAuthProvider, fetchSignInMethodsForEmail }] = await Promise.all([
    loadAuth(env),
    import('../provider/sdk'),
  ]);
  const refusal = error as FirebaseError;
  const credential = OAuthProvider.credentialFromError(refusal);
  const email = refusal.customData?.email;
  if (credential === null || typeof email !== 'string') return false;
  // With email enumeration protection, the list is empty, and the user selects the method.
  const methods = await fetchSignInMethodsForEmail(auth, email).catch(() => []);
  // Email links are not listed, because they are always available to the owner of the email address.
  const named = methods.filter((method) => method !== 'emailLink');
  keepPendingLink({ email, provider, credential: credential.toJSON(), methods: named });
  return true;
}

/**
 * Links the pending credential to the user who has just proved ownership of the account.
 * @returns null when it is linked
 */
export async function linkPendingTo(user: User, link: PendingLink): Promise<AuthErrorCode | null> {
  if (user.email?.toLowerCase() !== link.email.toLowerCase()) return 'auth/link/invalid-email-for-link';
  // An unverified email address does not prove that the user owns it.
  if (!user.emailVerified) return 'auth/email-not-verified';
  try {
    const { OAuthProvider, linkWithCredential } = await import('../provider/sdk');
    await linkWithCredential(user, OAuthProvider.credentialFromJSON(link.credential));
    return null;
  } catch (error) {
    const code = federatedErrorCode(error, link.provider);
    if (code === 'unknown') reportError(error, { during: 'linking', provider: link.provider });
    return code;
  }
}
