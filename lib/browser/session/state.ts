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
/** Emitted when the status or the hint changes. */
const change = createEvent();
export const onAuthStatus = change.on;

export function getAuthStatus(): AuthStatus {
  return current;
}

export function setAuthStatus(next: AuthStatus): void {
  current = next;
  change.emit();
}

/** Changes what this page shows of the signed-in user. Other tabs check the session again. */
export function changeSessionUser(changes: Partial<Pick<SessionStatus, 'email' | 'displayName'>>): void {
  if (current.status === 'authenticated') setAuthStatus({ ...current, session: { ...current.session, ...changes } });
  broadcast('session-changed');
}

/** Returns the current auth status. It is `loading` until the first check has completed. */
export function useAuthStatus(): AuthStatus {
  // A component that hydrates after the first check must start with the server-rendered state.
  return useSyncExternalStore(onAuthStatus, getAuthStatus, () => LOADING);
}

/**
 * Whether the cookie `kk_logged_in` says that the learner is signed in. It is read when a page starts and when another tab
 * signs in. A sign-in on this page redirects, so no render has to read it again.
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

/** The uid of the account whose data this document shows. Null while it shows none. */
let shown: string | null = null;

export function getPageAccount(): string | null {
  return shown;
}

/** Records the account after a sign-in or sign-out of this tab. */
export function setPageAccount(uid: string | null): void {
  shown = uid;
}

/**
 * Whether this document shows the account that is signed in. The first known account counts as the shown account. If
 * another account is signed in, the page reloads.
 * @param signedIn uid of the session's user
 */
export function confirmPageAccount(signedIn: string): boolean {
  shown ??= signedIn;
  if (shown !== signedIn) reloadPage();
  return shown === signedIn;
}

/** Reloads the page for the account that is signed in now. `reload()` would submit a form again. */
export function reloadPage(): void {
  const { pathname, search } = window.location;
  window.location.replace(pathname + search);
}

export async function signOutOfProvider(env: PublicEnv): Promise<void> {
  const session = await import('@/lib/browser/auth/provider/provider-session');
  await session.signOutOfFirebase(env);
}

/**
 * Messages to the learner's other tabs about sign-in and sign-out (docs/product.md#session). `session-changed`: the
 * session may have ended, so check it.
 */
type TabMessage = 'signed-in' | 'signed-out' | 'session-changed' | 'device-cleared';

const CHANNEL = 'learner-session';

/** A page has a single channel, because a channel does not receive its own messages. */
let channel: BroadcastChannel | undefined;

/** Returns no channel if the page's cookies are blocked, because Firefox throws then. */
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
 * Listens to messages of the learner's other tabs.
 * @param listener must ignore unknown messages, because a tab may run another version of this app
 * @returns a function that removes the listener
 */
export function onMessage(listener: (message: TabMessage) => void): () => void {
  const shared = getChannel();
  const hear = ({ data }: MessageEvent<TabMessage>) => listener(data);
  shared?.addEventListener('message', hear);
  return () => shared?.removeEventListener('message', hear);
}
