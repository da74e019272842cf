import type { User } from 'firebase/auth';

/** Sign-in events of the learner, for listeners (docs/product.md#states). */
export type AuthEvent = 'autoSignIn' | 'autoSignIn_failure' | 'signOut' | 'userDeleted';
type Listener = (event: AuthEvent) => void;

const listeners = new Set<Listener>();

/** @returns a function that removes the listener */
export function onAuthEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function emitAuthEvent(event: AuthEvent): void {
  listeners.forEach((listener) => listener(event));
}

/**
 * What led to a sign-in (docs/product.md#states): an existing account, a new account, a password change, or a method
 * linked during sign-in.
 */
export type LoginMode = 'signIn' | 'signUp' | 'update' | 'link';

/** A user whom the identity provider does not know in this browser. */
export type SignedInUser = { uid: string; email: string | null; displayName: string | null };

/** Emitted when a user has signed in, with the provider id of the method used; the redirect follows immediately. */
export type SignInEvent = { user: User | SignedInUser; method: string; mode: LoginMode };
type SignInListener = (entry: SignInEvent) => void;

const signInListeners = new Set<SignInListener>();

/** @returns a function that removes the listener */
export function onSignIn(listener: SignInListener): () => void {
  signInListeners.add(listener);
  return () => signInListeners.delete(listener);
}

export function emitSignIn(entry: SignInEvent): void {
  signInListeners.forEach((listener) => listener(entry));
}
