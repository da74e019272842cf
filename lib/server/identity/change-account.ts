import { isDeepStrictEqual } from 'node:util';
import { type StoredAccount, editClaims, type ClaimsEdit } from '@/lib/server/policy';
import { withAccountLock } from './account-lock';
import { changeAccount, type AccountChange } from './identity-toolkit';
import { endRevokedInBackground, markAllEnded } from '@/lib/server/storage';
import { evictAccount } from './account-changes';

/** A change that says nothing about whose account it is. */
export type PlainChange = Omit<AccountChange, 'email' | 'emailVerified' | 'claims'>;

/**
 * Changes an account and evicts its sessions from this process's cache: the change takes effect immediately here, and
 * within the revocation window in all other processes, with a database soon after. A revocation waits for the account's lock: it
 * would end the freeze (`freezeAccount`) of a change in progress, whose data a client could change then.
 * @throws ApiProblem 503, and those of `changeAccount` and `withAccountLock`
 */
export function changeAccountWithSessions(uid: string, change: PlainChange): Promise<void> {
  return change.revoke ? withAccountLock(uid, () => apply(uid, change)) : apply(uid, change);
}

/**
 * The only writer of custom claims, and of the email that they speak of: both in one call, from the account as it was judged. The
 * provider's public API changes an email at any moment; a change since the decision is overwritten, never adopted.
 * @param judged its email is the one that was decided on
 * @throws as `changeAccountWithSessions`; ApiProblem `email-taken` when another account has the email by now
 */
export function writeJudgedAccount(
  { uid, email, emailVerified, customClaims }: Pick<StoredAccount, 'uid' | 'email' | 'emailVerified' | 'customClaims'>,
  { claims = {}, ...change }: PlainChange & { claims?: ClaimsEdit | undefined },
): Promise<void> {
  const edited = editClaims(customClaims, claims);
  return apply(uid, {
    ...change,
    ...(email !== undefined && { email, emailVerified }),
    ...(!isDeepStrictEqual(edited, customClaims ?? {}) && { claims: edited }),
  });
}

async function apply(uid: string, change: AccountChange): Promise<void> {
  await changeAccount(uid, change);
  evictAccount(uid);
  // The provider revokes by whole seconds. The sessions are over already: this is for the list of them, and other processes.
  if (change.revoke) endRevokedInBackground(uid, new Date(Math.floor(Date.now() / 1000) * 1000), markAllEnded);
}
