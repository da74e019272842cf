import type { PublicEnv } from '@/lib/shared/config/public-env';
import { renewUser } from '../auth/provider/renew-user';
import { changeRememberedAccount } from '../auth/sign-in/remembered-accounts';
import { changeSessionUser } from '../session/state';

/**
 * Makes this browser follow a change of the account's email, which has also revoked its tokens.
 * @param customToken for the identity provider. Undefined if there is none
 * @param from the former email, if it is known
 */
export async function followEmailChange(
  env: PublicEnv,
  customToken: string | undefined,
  { from, to }: { from: string | null; to: string },
): Promise<void> {
  await renewUser(env, customToken);
  // Otherwise /sign-in would offer the former email.
  if (from !== null) changeRememberedAccount(from, { email: to });
  changeSessionUser({ email: to });
}
