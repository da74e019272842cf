import type { PublicEnv } from '@/lib/shared/config/public-env';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson, type ApiResult } from '../api-client';
import { renewUser } from '../auth/provider/renew-user';
import { broadcast } from '../session/state';

type Renewed = { customToken?: string };

/**
 * Changes the email, or adds the recovery email, by the link of the new mailbox, in a session of the account.
 * @param code of the link
 */
export async function changeEmailByLink(
  env: PublicEnv,
  code: string,
  use: 'main' | 'recovery',
): Promise<ApiResult<Renewed>> {
  const result = await postJson<Renewed>(securityApiPaths.changeEmailByLink, { code });
  // A new recovery email ends no session.
  if (!result.ok || use === 'recovery') return result;
  await renewUser(env, result.data.customToken);
  broadcast('session-changed');
  return result;
}
