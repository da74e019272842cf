import { SESSION } from '@/lib/shared/session-contract';
import { getStore } from '../store';

const getKey = (sid: string) => `ended-session:${sid}`;

/**
 * Records, for all processes, that a session was ended early (docs/adr/0004).
 * @param expiresAt expiry of the cookie itself, seconds since 1970
 */
export async function markEnded(sid: string, expiresAt: number): Promise<void> {
  const remaining = Math.ceil(expiresAt - Date.now() / 1000);
  if (remaining > 0) await getStore().set(getKey(sid), '1', Math.min(remaining, SESSION.length));
}

/** Whether a session was ended before its expiry, by any process. @param sid as by `getSessionId` */
export async function isEnded(sid: string): Promise<boolean> {
  return (await getStore().get(getKey(sid))) !== null;
}

/** Whether any of these sessions was ended before its expiry. */
export async function isAnyEnded(sids: readonly string[]): Promise<boolean> {
  return (await Promise.all(sids.map(isEnded))).includes(true);
}
