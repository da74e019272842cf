import { validateCallback } from '@/lib/shared/callback/rules';
import { getCallbackPolicy, type PublicEnv } from '@/lib/shared/config/public-env';
import { readCookie, removeCookie, writeCookie } from '@/lib/browser/cookies';
import type { SignInFailure } from './complete-sign-in';
import { signInWithProvider } from './federated';
import { markSsoStart } from '../redirect/use-redirect-return';

/** Redirects to a partner's OIDC provider. */
export async function signInWithPartner(env: PublicEnv, provider: string): Promise<SignInFailure | null> {
  markSsoStart(env, provider);
  return signInWithProvider(env, provider, { by: 'redirect' });
}

/** Restores the callback that the partner requested, validated again: another tab may have stored a different one. */
export function restoreOriginalCallback(env: PublicEnv): void {
  const validation = validateCallback(readCookie('oidcOriginalCallback'), getCallbackPolicy(env));
  if (validation.accepted) writeCookie('callbackUrl', validation.url, env.mainDomain);
  removeCookie('oidcOriginalCallback', env.mainDomain);
}
