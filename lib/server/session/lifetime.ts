import type { DecodedIdToken } from 'firebase-admin/auth';
import { SESSION } from '@/lib/shared/session-contract';
import { getAuthenticationTime, getSessionProvider, readHandoffClaims } from './handoff';

/** Minimum session length of the identity provider, in seconds. */
export const SHORTEST_SESSION_SECONDS = 300;

/** A session derived from another one must not outlive it. @returns seconds */
export function getLifetime(decoded: DecodedIdToken): number {
  if (readHandoffClaims(decoded) === null || getSessionProvider(decoded) !== 'custom') return SESSION.length;
  const left = Math.floor(getAuthenticationTime(decoded) + SESSION.length - Date.now() / 1000);
  return Math.min(SESSION.length, Math.max(SHORTEST_SESSION_SECONDS, left));
}
