import { useEffect, useState } from 'react';
import type { SessionStatus } from './contract';
import { useAuthStatus } from './status';

/** From how long before its end a session is said to be ending, in milliseconds: time to finish and to stay. */
export const ENDING = 300_000;

/**
 * When the session ends, once that is near: it is renewed by itself long before, unless the identity provider no
 * longer knows the learner in this browser, or could not be reached for days.
 * @returns null while the end is further off than five minutes, or nobody is known to be signed in
 */
export function useSessionEnd(): Date | null {
  const auth = useAuthStatus();
  const end = auth.status === 'authenticated' ? Date.parse(auth.session.expiresAt) : null;
  const [nearEnd, setNearEnd] = useState<number | null>(null);
  useEffect(() => {
    if (end === null) return;
    const timer = setTimeout(() => setNearEnd(end), Math.max(0, end - Date.now() - ENDING));
    return () => clearTimeout(timer);
  }, [end]);
  return end !== null && nearEnd === end ? new Date(end) : null;
}

export function isRenewed(before: SessionStatus, after: SessionStatus): boolean {
  return Date.parse(after.expiresAt) > Date.parse(before.expiresAt);
}
