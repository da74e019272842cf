import { useSyncExternalStore } from 'react';
import type { SessionStatus } from './contract';

/** What this tab knows of the learner (specification, section 4). */
export type AuthStatus =
  { status: 'loading' } | { status: 'authenticated'; session: SessionStatus } | { status: 'unauthenticated' };

let current: AuthStatus = { status: 'loading' };
const listeners = new Set<() => void>();

export function authStatus(): AuthStatus {
  return current;
}

export function setAuthStatus(next: AuthStatus): void {
  current = next;
  listeners.forEach((listener) => listener());
}

/** The auth status, kept up to date; `loading` until the first check has answered. */
export function useAuthStatus(): AuthStatus {
  return useSyncExternalStore(onAuthStatus, authStatus, () => current);
}

/** @returns a function that stops listening */
export function onAuthStatus(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
