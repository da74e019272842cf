/** What is known of the sign-in methods of an account, by the identity provider's ids. */
export type MethodFacts = {
  /** Of the account. */
  email: string | null;
  /** As just read, each with its own email. */
  present: readonly { id: string; email: string | null }[];
  /** As read before; null when they never were. */
  known: readonly string[] | null;
  /** Connected since the sign-in, by the recorded events. */
  connected: readonly string[];
};

/**
 * The sign-in methods that an intruder may have added: those that were connected since, those that were never seen
 * before, and those of another email, since one identity of a provider can be replaced by another one without a trace. The owner
 * can connect their own again; an intruder's must not stay.
 */
export function getSuspectMethods({ email, present, known, connected }: MethodFacts): string[] {
  const isSuspect = ({ id, email: own }: { id: string; email: string | null }) =>
    connected.includes(id) || (known !== null && !known.includes(id)) || (id !== 'password' && own !== email);
  return present.filter(isSuspect).map(({ id }) => id);
}
