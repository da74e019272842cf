import { useSyncExternalStore } from 'react';
import type { SessionStatus } from '@/lib/shared/session-contract';
import { readCookie } from '@/lib/browser/cookies';
import { createEvent } from '@/lib/browser/create-event';
import type { PublicEnv } from '@/lib/shared/config/public-env';

/** The learner's auth status in this tab (docs/product.md#states). */
type AuthStatus =
  | { status: 'loading' }
  | { status: 'authenticated'; session: SessionStatus }
  | { status: 'unauthenticated' };

const LOADING: AuthStatus = { status: 'loading' };

let current: AuthStatus = LOADING;
/** Of the status or the hint. */
const change = createEvent();
export const onAuthStatus = change.on;

export function getAuthStatus(): AuthStatus {
  return current;
}

export function setAuthStatus(next: AuthStatus): void {
  current = next;
  change.emit();
}

/** The current auth status; `loading` until the first check has completed. */
export function useAuthStatus(): AuthStatus {
  // A component that hydrates after the first check must start with the server-rendered state.
  return useSyncExternalStore(onAuthStatus, getAuthStatus, () => LOADING);
}

/**
 * Whether this browser considers the learner signed in, by the `kk_logged_in` cookie. It is read when a page starts and
 * when another tab signs in, not on every render: a sign-in on this page redirects and needs no check.
 */
let hint = false;

export function refreshSessionHint(): boolean {
  hint = readCookie('loggedIn') === '1';
  change.emit();
  return hint;
}

export function useSessionHint(): boolean {
  return useSyncExternalStore(
    onAuthStatus,
    () => hint,
    () => false,
  );
}

/** The account whose data this document shows, by its uid; null while it shows none. */
let shown: string | null = null;

export function getPageAccount(): string | null {
  return shown;
}

/** For a sign-in or sign-out of this tab. */
export function setPageAccount(uid: string | null): void {
  shown = uid;
}

/**
 * Whether this document shows the account that is signed in; the first one known is the one that it shows. Otherwise the
 * page is loaded again.
 * @param signedIn uid of the session's user
 */
export function confirmPageAccount(signedIn: string): boolean {
  shown ??= signedIn;
  if (shown !== signedIn) reloadPage();
  return shown === signedIn;
}

/** Loads the page again, for the account that is signed in now. Never by `reload()`, which would send a form again. */
export function reloadPage(): void {
  const { pathname, search } = window.location;
  window.location.replace(pathname + search);
}

export async function signOutOfProvider(env: PublicEnv): Promise<void> {
  const session = await import('@/lib/browser/auth/provider/provider-session');
  await session.signOutOfFirebase(env);
}

/**
 * Messages to the learner's other tabs about sign-in and sign-out (docs/product.md#session). `session-changed`: it may have
 * ended; check it.
 */
type TabMessage = 'signed-in' | 'signed-out' | 'session-changed' | 'device-cleared';

const CHANNEL = 'learner-session';

/** One channel per page: a channel does not receive its own messages. */
let channel: BroadcastChannel | undefined;

/** Firefox refuses a channel to a page whose cookies are blocked. */
function getChannel(): BroadcastChannel | undefined {
  try {
    return (channel ??= new BroadcastChannel(CHANNEL));
  } catch {
    return undefined;
  }
}

export function broadcast(message: TabMessage): void {
  getChannel()?.postMessage(message);
}

/**
 * @param listener must ignore unknown messages: a tab may run another version of this app
 * @returns a function that removes the listener
 */
export function onMessage(listener: (message: TabMessage) => void): () => void {
  const shared = getChannel();
  const hear = ({ data }: MessageEvent<TabMessage>) => listener(data);
  shared?.addEventListener('message', hear);
  return () => shared?.removeEventListener('message', hear);
}
