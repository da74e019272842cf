import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { rememberProvider } from '../pending';
import { loadAuth } from './firebase';
import { loadAuthToSignIn } from './provider-session';

/**
 * Signs in at the identity provider again, because the server has revoked the tokens of this browser, too. Without a custom
 * token, nothing was changed or the session could not be renewed. Then the page leads to sign-in.
 */
export async function renewUser(env: PublicEnv, customToken: string | undefined): Promise<void> {
  try {
    const auth = await loadAuth(env);
    if (customToken === undefined) return await auth.currentUser?.reload();
    const { signInWithCustomToken } = await import('./sdk');
    await signInWithCustomToken(await loadAuthToSignIn(env), customToken);
    rememberProvider();
  } catch (error) {
    // The change was made. The next change requires a sign-in.
    reportError(error, { during: 'signing in again after all tokens were revoked' });
  }
}
