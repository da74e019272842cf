import { useEffect, useState } from 'react';
import { getServerTime } from '@/lib/browser/api-client';
import type { SessionStatus } from '@/lib/shared/session-contract';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { ensureProviderUser } from '../auth/sign-in/auto-sign-in';
import { useAuthStatus, confirmPageAccount } from './state';
import { checkAuthStatus } from './api';
import { renewByToken, renewOnServer } from './renewal';

/**
 * How long before its end a session counts as expiring, in milliseconds. The learner can finish work or stay signed in.
 */
const EXPIRY_WARNING_MS = 300_000;

/**
 * Returns the session's end once it is near. Sessions are renewed automatically long before. That fails if the learner
 * is no longer signed in at the identity provider in this browser, or the provider was unreachable for days.
 * @returns null while the end is more than five minutes away, or without a known signed-in user
 */
export function useSessionEnd(): Date | null {
  const auth = useAuthStatus();
  const end = auth.status === 'authenticated' ? Date.parse(auth.session.expiresAt) : null;
  const [nearEnd, setNearEnd] = useState<number | null>(null);
  useEffect(() => {
    if (end === null) return;
    const timer = setTimeout(() => setNearEnd(end), Math.max(0, end - getServerTime() - EXPIRY_WARNING_MS));
    return () => clearTimeout(timer);
  }, [end]);
  return end !== null && nearEnd === end ? new Date(end) : null;
}

/** The renewed session, or a failure. `sign-in-required`: only a new sign-in can continue it. */
type ExtensionResult = SessionStatus | 'sign-in-required' | 'failed';

/** Renews the session before it expires. If that needs an ID token, it signs in at the identity provider first. */
export async function extendSession(env: PublicEnv): Promise<ExtensionResult> {
  const now = await checkAuthStatus();
  if (!now.ok) return now.status === 401 ? 'sign-in-required' : 'failed';
  if (!confirmPageAccount(now.data.uid)) return 'failed';
  const renewal = await renewOnServer();
  if (renewal === 'sign-in-required' || renewal === 'failed') return renewal;
  if (renewal === 'token-required') {
    const user = await ensureProviderUser(env, now.data.uid);
    if (user !== 'known') return user;
    await renewByToken(env, now.data.uid);
  }
  const then = await checkAuthStatus();
  const isRenewed = then.ok && Date.parse(then.data.expiresAt) > Date.parse(now.data.expiresAt);
  return isRenewed ? then.data : 'failed';
}
