import type { User } from 'firebase/auth';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { setPageAccount, broadcast } from '@/lib/browser/session/state';
import { emitSignIn, type LoginMode, type SignInEvent } from './events';
import { rememberMethod } from './this-device';
import { rememberAccount } from './remembered-accounts';
import { doubtProvider, rememberProvider } from '../pending';

/** Remembers the method in this browser, and notifies other tabs and analytics that a session was opened. */
export function broadcastSignIn(user: User, method: string, mode: LoginMode): void {
  rememberProvider();
  announce(user, method, mode);
}

/** Remembers the method and notifies other tabs and analytics, if the identity provider has no user in this browser. */
export function broadcastOwnSignIn(user: SignInEvent['user'], method: string, mode: LoginMode = 'signIn'): void {
  doubtProvider();
  announce(user, method, mode);
}

function announce(user: SignInEvent['user'], method: string, mode: LoginMode): void {
  setPageAccount(user.uid);
  rememberMethod(method);
  rememberAccount(user, method);
  // The email has led to this account. A later entry belongs to another sign-in.
  carriedEmail.forget();
  broadcast('signed-in');
  // Run after the redirect has started, so that listeners do not delay it.
  setTimeout(() => emitSignIn({ user, method, mode }));
}
