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
