import { postJson } from '@/lib/browser/api-client';
import { type PublicEnv, getCallbackPolicy } from '@/lib/shared/config/public-env';
import { apiPaths } from '@/lib/shared/api-paths';
import { validateCallback } from '@/lib/shared/callback/rules';
import { readCookie, removeCookie, writeCookie } from '@/lib/browser/cookies';
import { type SignInFailure, isAuthErrorCode } from './error-codes';
import { signInWithProvider } from './federated';

/**
 * Signs in with the organization of a work email address. The server looks up its domain, and the page redirects to the
 * organization's SAML provider.
 */
export async function signInWithEnterprise(env: PublicEnv, email: string): Promise<SignInFailure | null> {
  const result = await postJson<{ provider: string }>(apiPaths.enterpriseLookup, { email });
  if (!result.ok) return { code: toErrorCode(result.code), retryAfter: result.retryAfter };
  const { provider } = result.data;
  markStart(env, provider);
  return signInWithProvider(env, provider, { by: 'redirect' });
}

/** Returns the name of the organization with this email's domain. It is public, and reveals nothing about accounts. */
export async function fetchOrganization(email: string): Promise<string | null> {
  const result = await postJson<{ name: string }>(apiPaths.enterpriseLookup, { email });
  return result.ok ? result.data.name : null;
}

/** Maps the API's codes to the catalog's, which have an `auth/` prefix. */
function toErrorCode(problem: string): SignInFailure['code'] {
  if (problem === 'network') return 'auth/network-request-failed';
  const code = `auth/${problem}`;
  return isAuthErrorCode(code) ? code : 'unknown';
}

/** Redirects to a partner's OIDC provider. */
export async function signInWithPartner(env: PublicEnv, provider: string): Promise<SignInFailure | null> {
  markStart(env, provider);
  return signInWithProvider(env, provider, { by: 'redirect' });
}

/**
 * Marks the start of a sign-in. If the mark still exists without a result, the sign-in got stuck and must not redirect
 * automatically again.
 */
const markStart = (env: PublicEnv, provider: string) => writeCookie('ssoLoginInit', provider, env.mainDomain);

/**
 * Restores the callback that the partner requested and validates it again. Another tab may have stored another
 * callback.
 */
export function restoreOriginalCallback(env: PublicEnv): void {
  const validation = validateCallback(readCookie('oidcOriginalCallback'), getCallbackPolicy(env));
  if (validation.accepted) writeCookie('callbackUrl', validation.url, env.mainDomain);
  removeCookie('oidcOriginalCallback', env.mainDomain);
}
