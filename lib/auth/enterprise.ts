import { postJson } from '@/lib/api/client';
import type { PublicEnv } from '@/lib/config/public-env';
import { apiPaths } from '@/lib/paths';
import type { EntryFailure } from './enter';
import { isAuthErrorCode } from './error-codes';
import { signInWithProvider } from './federated';
import { markSsoStart } from './sso-guard';

/**
 * Signs in with the organisation a work address belongs to: its domain is looked up on the server, then the page leaves
 * for the organisation's SAML provider.
 */
export async function signInWithEnterprise(env: PublicEnv, email: string): Promise<EntryFailure | null> {
  const answer = await postJson<{ provider: string }>(apiPaths.enterpriseLookup, { email });
  if (!answer.ok) return { code: codeOf(answer.code), retryAfter: answer.retryAfter };
  markSsoStart(env, answer.data.provider);
  return signInWithProvider(env, answer.data.provider, { by: 'redirect' });
}

/** The API's codes are the catalogue's, without their family name. */
function codeOf(problem: string): EntryFailure['code'] {
  if (problem === 'network') return 'auth/network-request-failed';
  const code = `auth/${problem}`;
  return isAuthErrorCode(code) ? code : 'unknown';
}
