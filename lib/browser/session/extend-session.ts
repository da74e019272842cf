import type { PublicEnv } from '@/lib/shared/config/public-env';
import { checkAuthStatus } from './api';
import type { SessionStatus } from '@/lib/shared/session-contract';
import { confirmPageAccount } from './page-account';
import { isRenewed } from './session-end';
import { renewByToken, renewOnServer } from './renewal';
import { ensureProviderUser } from '../auth/sign-in/auto-sign-in';

/** The renewed session, or why there is none; `sign-in-required`: only a new sign-in continues it. */
export type ExtensionResult = SessionStatus | 'sign-in-required' | 'failed';

/** Renews the session before it expires; where that takes an ID token, signs in at the identity provider first. */
export async function extendSession(env: PublicEnv): Promise<ExtensionResult> {
  const now = await checkAuthStatus();
  if (!now.ok) return now.status === 401 ? 'sign-in-required' : 'failed';
  if (!confirmPageAccount(now.data.uid)) return 'failed';
  const renewal = await renewOnServer();
  if (renewal === 'sign-in-required' || renewal === 'failed') return renewal;
  if (renewal === 'token-required') {
    const user = await ensureProviderUser(env, now.data.uid);
    if (user !== 'known') return user;
    await renewByToken(env);
  }
  const then = await checkAuthStatus();
  return then.ok && isRenewed(now.data, then.data) ? then.data : 'failed';
}
