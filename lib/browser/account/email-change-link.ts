import type { PublicEnv } from '@/lib/shared/config/public-env';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson, type ApiResult } from '../api-client';
import { getAuthStatus } from '../session/state';
import { followEmailChange } from './follow-email-change';

type Renewed = { customToken?: string };

/**
 * Changes the email, or adds the recovery email, by the link of the new mailbox, in a session of the account.
 * @param code of the link
 * @param change `email`: the new email
 */
export async function changeEmailByLink(
  env: PublicEnv,
  code: string,
  { email, use }: { email: string; use: 'main' | 'recovery' },
): Promise<ApiResult<Renewed>> {
  const before = getAuthStatus();
  const result = await postJson<Renewed>(securityApiPaths.changeEmailByLink, { code });
  // A new recovery email ends no session.
  if (!result.ok || use === 'recovery') return result;
  const from = before.status === 'authenticated' ? before.session.email : null;
  await followEmailChange(env, result.data.customToken, { from, to: email });
  return result;
}
