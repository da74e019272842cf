import type { User } from 'firebase/auth';
import { setPageAccount } from '@/lib/browser/session/page-account';
import { broadcast } from '@/lib/browser/session/tab-sync';
import { emitSignIn, type LoginMode, type SignedInUser } from './events';
import { rememberMethod } from './last-method';
import { rememberProvider } from '../provider/provider-memory';

/** Remembers the method in this browser, and tells other tabs and analytics that a session was opened. */
export function broadcastSignIn(user: User, method: string, mode: LoginMode): void {
  rememberProvider();
  broadcastAndTrack(user, method, mode);
}

/** The same for a sign-in after which the identity provider knows of no user in this browser. */
export function broadcastOwnSignIn(user: SignedInUser, method: string): void {
  broadcastAndTrack(user, method, 'signIn');
}

function broadcastAndTrack(user: SignedInUser | User, method: string, mode: LoginMode): void {
  setPageAccount(user.uid);
  rememberMethod(method);
  broadcast('signed-in');
  // Run after the redirect has started, so that listeners do not delay it.
  setTimeout(() => emitSignIn({ user, method, mode }));
}
