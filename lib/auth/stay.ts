import type { PublicEnv } from '@/lib/config/public-env';
import { checkAuthStatus } from '@/lib/session/client';
import type { SessionStatus } from '@/lib/session/contract';
import { isRenewed } from '@/lib/session/ending';
import { renewSession } from '@/lib/session/renewal';
import { ensureProviderUser } from './auto-sign-in';

/**
 * Creates the session anew before it ends, also where the identity provider has to be told first who is here.
 * @returns the new session, or null when there is none
 */
export async function stayingSession(env: PublicEnv): Promise<SessionStatus | null> {
  const now = await checkAuthStatus();
  if (!now.ok || !(await ensureProviderUser(env, now.data.uid))) return null;
  await renewSession(env);
  const then = await checkAuthStatus();
  return then.ok && isRenewed(now.data, then.data) ? then.data : null;
}
