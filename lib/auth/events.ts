import type { User } from 'firebase/auth';

/** What happens to the learner's sign-in, for whoever listens (specification, section 4). */
export type AuthEvent = 'autoSignIn' | 'autoSignIn_failure' | 'signOut' | 'userDeleted';
type Listener = (event: AuthEvent) => void;

const listeners = new Set<Listener>();

/** @returns a function that stops listening */
export function onAuthEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function emitAuthEvent(event: AuthEvent): void {
  listeners.forEach((listener) => listener(event));
}

/**
 * What led to a sign-in (specification, section 4): one of an account that was there, of one just made, after a new
 * password, or with a method that was linked on the way.
 */
export type LoginMode = 'signIn' | 'signUp' | 'update' | 'link';

/** Somebody has just signed in, with the provider id of the way they took; the hand-over follows at once. */
export type Entry = { user: User; method: string; mode: LoginMode };
type EntryListener = (entry: Entry) => void;

const entryListeners = new Set<EntryListener>();

/** @returns a function that stops listening */
export function onEntry(listener: EntryListener): () => void {
  entryListeners.add(listener);
  return () => entryListeners.delete(listener);
}

export function announceEntry(entry: Entry): void {
  entryListeners.forEach((listener) => listener(entry));
}
