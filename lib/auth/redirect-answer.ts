import type { UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/config/public-env';
import { promiseTimeout } from '@/lib/promise-timeout';
import { loadAuth } from './firebase';

/** How long the helper's frame may take to tell the answer, in milliseconds; one without storage never does. */
const PATIENCE = 15_000;

/**
 * What the provider answered to the redirect this tab is back from.
 * @returns null when it answered nothing
 * @throws FirebaseError for a refusal; Error `timeout!` after 15 s
 */
export async function redirectAnswer(env: PublicEnv): Promise<UserCredential | null> {
  const [auth, sdk] = await Promise.all([loadAuth(env), import('./sdk')]);
  return promiseTimeout(sdk.getRedirectResult(auth, sdk.browserPopupRedirectResolver), PATIENCE);
}
