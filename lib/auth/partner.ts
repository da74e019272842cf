import { judgeCallback } from '@/lib/callback/rules';
import { callbackPolicyOf, type PublicEnv } from '@/lib/config/public-env';
import { readCookie, removeCookie, writeCookie } from '@/lib/cookies/browser';
import type { EntryFailure } from './enter';
import { signInWithProvider } from './federated';
import { markSsoStart } from './sso-guard';

/** Leaves for a partner's OIDC provider. */
export async function signInWithPartner(env: PublicEnv, provider: string): Promise<EntryFailure | null> {
  markSsoStart(env, provider);
  return signInWithProvider(env, provider, { by: 'redirect' });
}

/**
 * Makes the callback the partner asked for this visit's callback again, judged once more: another tab may have kept
 * another one meanwhile.
 */
export function restoreOriginalCallback(env: PublicEnv): void {
  const verdict = judgeCallback(readCookie('oidcOriginalCallback'), callbackPolicyOf(env));
  if (verdict.accepted) writeCookie('callbackUrl', verdict.url, env.mainDomain);
  removeCookie('oidcOriginalCallback', env.mainDomain);
}
