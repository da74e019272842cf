import { useEffect, useState } from 'react';
import { getServerTime } from '@/lib/browser/server-time';
import type { SessionStatus } from '@/lib/shared/session-contract';
import { useAuthStatus } from './status';

/** How long before its end a session counts as expiring, in milliseconds: time to finish or to stay signed in. */
export const EXPIRY_WARNING_MS = 300_000;

/**
 * The session's end, once it is near. Sessions are renewed automatically long before, unless the learner is no longer
 * signed in at the identity provider in this browser, or it could not be reached for days.
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

export function isRenewed(before: SessionStatus, after: SessionStatus): boolean {
  return Date.parse(after.expiresAt) > Date.parse(before.expiresAt);
}
