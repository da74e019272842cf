import type { UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { loadAuth } from '../provider/firebase';

/** Timeout for the result from the helper's iframe, in milliseconds; without storage access it never responds. */
const RESULT_TIMEOUT_MS = 15_000;

/**
 * The provider's result of the redirect that this tab has returned from.
 * @returns null when there is no result
 * @throws FirebaseError for a refusal; Error `timeout!` after 15 s
 */
export async function getRedirectResultInTime(env: PublicEnv): Promise<UserCredential | null> {
  const [auth, sdk] = await Promise.all([loadAuth(env), import('../provider/sdk')]);
  return promiseTimeout(sdk.getRedirectResult(auth, sdk.browserPopupRedirectResolver), RESULT_TIMEOUT_MS);
}
