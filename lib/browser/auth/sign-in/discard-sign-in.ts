import type { UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { signOutOfFirebase } from '../provider/provider-session';

/**
 * Rolls back a sign-in at the identity provider that cannot be completed: an account that it just created is deleted.
 */
export async function discardSignIn(env: PublicEnv, result: UserCredential): Promise<void> {
  const { getAdditionalUserInfo } = await import('../provider/sdk');
  if (getAdditionalUserInfo(result)?.isNewUser) await result.user.delete();
  else await signOutOfFirebase(env);
}
