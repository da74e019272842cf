import type { AccountFacts } from './account';

/**
 * Decides what a registration does after its user has proved the mailbox. The decision is pure, and
 * docs/account-policy.md#registrations documents it as a table.
 */
export type RegistrationDecision =
  /** The email has no account, so the registration creates it. */
  | 'create'
  /** Someone else created an unverified account. The registration takes it over and removes everything else from it. */
  | 'prove'
  /** This registration has created the account before, so its code signs in. */
  | 'sign-in'
  /** The email has another account. Its owner signs in there. */
  | 'taken';

/**
 * @param account the account that has the email at the identity provider, or null
 * @param uid the id that this registration gives to its account
 */
export function decideRegistration(account: RegistrationFacts | null, uid: string): RegistrationDecision {
  if (account === null) return 'create';
  if (account.disabled || account.managed) return 'taken';
  if (account.emailVerified) return account.uid === uid ? 'sign-in' : 'taken';
  // An account that belongs, or belonged, to a proved email has an owner, who gets a reset link instead.
  return account.hadOtherEmail || account.hasProvedEmail ? 'taken' : 'prove';
}

export type RegistrationFacts = Pick<
  AccountFacts,
  'uid' | 'disabled' | 'managed' | 'emailVerified' | 'hadOtherEmail' | 'hasProvedEmail'
>;
