import { useSyncExternalStore } from 'react';
import { readCookie } from '@/lib/cookies/browser';

/**
 * Whether this browser takes the learner for signed in, by the `kk_logged_in` cookie. It is read when a page starts
 * and when another tab signs in, not at every render: a sign-in on this very page hands over and needs no check.
 */
let believed = false;
const listeners = new Set<() => void>();

export function refreshBelief(): boolean {
  believed = readCookie('loggedIn') === '1';
  listeners.forEach((listener) => listener());
  return believed;
}

export function useBelievedSignedIn(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => believed,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
