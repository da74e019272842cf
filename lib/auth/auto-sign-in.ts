import { postJson } from '@/lib/api/client';
import type { PublicEnv } from '@/lib/config/public-env';
import { apiPaths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { storage } from '@/lib/storage';
import { emitAuthEvent } from './events';
import { loadAuth } from './firebase';
import { rememberProvider } from './provider-memory';

const REFUSED_KEY = 'auto-sign-in-refused';

let underWay: Promise<boolean> | undefined;

/**
 * Makes the person of a live session the identity provider's person in this browser too (product decisions, 6). One
 * attempt at a time; what comes of it is told as `autoSignIn` or `autoSignIn_failure`.
 * @param uid whose session it is
 * @returns whether the identity provider knows them now
 */
export function ensureProviderUser(env: PublicEnv, uid: string): Promise<boolean> {
  underWay ??= ensure(env, uid).finally(() => {
    underWay = undefined;
  });
  return underWay;
}

/** The same, but not again in a tab in which it has failed: the learner was told, and is not told on every page. */
export async function restoreOnce(env: PublicEnv, uid: string): Promise<void> {
  if (storage('sessionStorage').getItem(REFUSED_KEY) !== '1') await ensureProviderUser(env, uid);
}

async function ensure(env: PublicEnv, uid: string): Promise<boolean> {
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    if (auth.currentUser?.uid === uid) return true;
    const answer = await postJson<{ customToken: string }>(apiPaths.autoSignIn);
    // Sessions of another deployment cannot be turned into a sign-in here: nothing has failed.
    if (!answer.ok && answer.code === 'not-found') return false;
    if (!answer.ok) return refuse();
    const { signInWithCustomToken } = await import('./sdk');
    await signInWithCustomToken(auth, answer.data.customToken);
    rememberProvider();
    storage('sessionStorage').removeItem(REFUSED_KEY);
    emitAuthEvent('autoSignIn');
    return true;
  } catch (error) {
    reportError(error, { during: 'auto sign-in' });
    return refuse();
  }
}

function refuse(): false {
  storage('sessionStorage').setItem(REFUSED_KEY, '1');
  emitAuthEvent('autoSignIn_failure');
  return false;
}
