import { postJson } from '@/lib/browser/api-client';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { apiPaths } from '@/lib/shared/api-paths';
import type { SignInFailure } from './complete-sign-in';
import { isAuthErrorCode } from './error-codes';
import { signInWithProvider } from './federated';
import { markSsoStart } from '../redirect/use-redirect-return';

/**
 * Signs in with the organization of a work email address: the server looks up its domain, then the page redirects to
 * the organization's SAML provider.
 */
export async function signInWithEnterprise(env: PublicEnv, email: string): Promise<SignInFailure | null> {
  const result = await postJson<{ provider: string }>(apiPaths.enterpriseLookup, { email });
  if (!result.ok) return { code: toErrorCode(result.code), retryAfter: result.retryAfter };
  markSsoStart(env, result.data.provider);
  return signInWithProvider(env, result.data.provider, { by: 'redirect' });
}

/** Maps the API's codes to the catalog's, which have an `auth/` prefix. */
function toErrorCode(problem: string): SignInFailure['code'] {
  if (problem === 'network') return 'auth/network-request-failed';
  const code = `auth/${problem}`;
  return isAuthErrorCode(code) ? code : 'unknown';
}
