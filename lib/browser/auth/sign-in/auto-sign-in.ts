import { postJson } from '@/lib/browser/api-client';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { apiPaths } from '@/lib/shared/api-paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getPageAccount } from '@/lib/browser/session/state';
import { storage } from '@/lib/browser/storage';
import { emitAuthEvent } from './events';
import { loadAuth } from '../provider/firebase';
import { loadAuthToSignIn, signOutOfFirebase } from '../provider/provider-session';
import { doubtProvider, rememberProvider } from '../pending';

const REFUSED_KEY = 'auto-sign-in-refused';

/**
 * `known`: the user is signed in at the identity provider in this browser. `sign-in-required`: this needs a new
 * sign-in.
 */
export type ProviderUser = 'known' | 'sign-in-required' | 'failed';

let underWay: Promise<ProviderUser> | undefined;

/**
 * Signs the session's user in at the identity provider in this browser too (docs/product.md#screens), one attempt at a
 * time. It emits `autoSignIn` or `autoSignIn_failure`.
 * @param uid the session's user
 */
export function ensureProviderUser(env: PublicEnv, uid: string): Promise<ProviderUser> {
  underWay ??= ensure(env, uid).finally(() => {
    underWay = undefined;
  });
  return underWay;
}

/**
 * Signs the session's user in at the identity provider, unless that was refused in this tab. Otherwise every page would
 * retry.
 */
export async function restoreOnce(env: PublicEnv, uid: string): Promise<void> {
  if (storage('sessionStorage').getItem(REFUSED_KEY) !== '1') await ensureProviderUser(env, uid);
}

async function ensure(env: PublicEnv, uid: string): Promise<ProviderUser> {
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    if (auth.currentUser?.uid === uid) return 'known';
    if (auth.currentUser !== null) await signOutOfFirebase(env);
    const result = await postJson<{ customToken: string }>(apiPaths.autoSignIn);
    if (!result.ok) return isOnlyBySignIn(result.code) ? refuse('sign-in-required') : fail();
    const { signInWithCustomToken } = await import('../provider/sdk');
    await loadAuthToSignIn(env);
    // Before the sign-in, so that the next page signs the user out if this page is closed meanwhile.
    rememberProvider();
    const { user } = await signInWithCustomToken(auth, result.data.customToken);
    if (user.uid !== uid || getPageAccount() !== uid) {
      // The learner has signed out meanwhile, or another one has signed in.
      await signOutOfFirebase(env);
      return 'sign-in-required';
    }
    storage('sessionStorage').removeItem(REFUSED_KEY);
    emitAuthEvent('autoSignIn');
    return 'known';
  } catch (error) {
    reportError(error, { during: 'auto sign-in' });
    // A former user may still be there, so the next sign-in signs that user out.
    doubtProvider();
    return fail();
  }
}

/**
 * Whether only a new sign-in helps, which is not a failure. Some sessions never get a custom token: sessions of another
 * deployment, old sessions, and sessions without the account's second factor.
 */
function isOnlyBySignIn(code: string): boolean {
  return code === 'not-found' || code === 'recent-login-required' || code === 'second-factor-required';
}

function fail(): ProviderUser {
  emitAuthEvent('autoSignIn_failure');
  return refuse('failed');
}

function refuse(why: ProviderUser): ProviderUser {
  storage('sessionStorage').setItem(REFUSED_KEY, '1');
  return why;
}
