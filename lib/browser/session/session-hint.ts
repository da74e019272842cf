import { useSyncExternalStore } from 'react';
import { readCookie } from '@/lib/browser/cookies';

/**
 * Whether this browser considers the learner signed in, by the `kk_logged_in` cookie. It is read when a page starts and
 * when another tab signs in, not on every render: a sign-in on this page redirects and needs no check.
 */
let hint = false;
const listeners = new Set<() => void>();

export function refreshSessionHint(): boolean {
  hint = readCookie('loggedIn') === '1';
  listeners.forEach((listener) => listener());
  return hint;
}

export function useSessionHint(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => hint,
    () => false,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
