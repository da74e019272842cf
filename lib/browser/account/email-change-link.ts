import type { PublicEnv } from '@/lib/shared/config/public-env';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson, type ApiResult } from '../api-client';
import { renewUser } from '../auth/provider/renew-user';
import { changeRememberedAccount } from '../auth/sign-in/remembered-accounts';
import { broadcast, getAuthStatus } from '../session/state';

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
  await renewUser(env, result.data.customToken);
  // Otherwise /sign-in would offer the former email.
  const from = before.status === 'authenticated' ? before.session.email : null;
  if (from) changeRememberedAccount(from, { email });
  broadcast('session-changed');
  return result;
}
