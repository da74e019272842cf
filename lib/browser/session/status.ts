import { useSyncExternalStore } from 'react';
import type { SessionStatus } from '@/lib/shared/session-contract';

/** The learner's auth status in this tab (docs/product.md#states). */
export type AuthStatus =
  { status: 'loading' } | { status: 'authenticated'; session: SessionStatus } | { status: 'unauthenticated' };

const LOADING: AuthStatus = { status: 'loading' };

let current: AuthStatus = LOADING;
const listeners = new Set<() => void>();

export function getAuthStatus(): AuthStatus {
  return current;
}

export function setAuthStatus(next: AuthStatus): void {
  current = next;
  listeners.forEach((listener) => listener());
}

/** The current auth status; `loading` until the first check has completed. */
export function useAuthStatus(): AuthStatus {
  // A component that hydrates after the first check must start with the server-rendered state.
  return useSyncExternalStore(onAuthStatus, getAuthStatus, () => LOADING);
}

/** @returns a function that removes the listener */
export function onAuthStatus(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
