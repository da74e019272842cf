import { SESSION } from '@/lib/session/contract';
import { sharedStore } from '../store';

const keyOf = (sid: string) => `ended-session:${sid}`;

/**
 * Remembers, for all processes, that a session was ended before its time.
 * @param expiresAt when the cookie would have expired by itself, seconds since 1970
 */
export async function markEnded(sid: string, expiresAt: number): Promise<void> {
  const remaining = Math.ceil(expiresAt - Date.now() / 1000);
  if (remaining > 0) await sharedStore().set(keyOf(sid), '1', Math.min(remaining, SESSION.length));
}

export async function isEnded(sid: string): Promise<boolean> {
  return (await sharedStore().get(keyOf(sid))) !== null;
}
