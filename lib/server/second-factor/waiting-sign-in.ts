import { ApiProblem } from '@/lib/shared/problem';
import type { Account } from '@/lib/server/policy';
import { findById } from '@/lib/server/identity';
import { digest, setRequestAccount } from '@/lib/server/runtime';
import { findPendingSignIn, type PendingSignIn, RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { readSecondFactor } from './rows';

/** A sign-in that waits for its second factor. */
export type WaitingSignIn = { pending: PendingSignIn; account: Account };

/**
 * The sign-in of a browser that waits, if its first factor is still one.
 * @param secret of the browser's cookie
 * @throws ApiProblem `sign-in-expired`, `records-unavailable`, 503
 */
export async function requireWaitingSignIn(secret: string | undefined): Promise<WaitingSignIn> {
  if (!secret) throw new ApiProblem('sign-in-expired');
  const key = digest(secret);
  const pending = await withRecords((records) => findPendingSignIn(records, key, new Date()), RECORDS_TIMEOUT_MS);
  if (pending === null) throw new ApiProblem('sign-in-expired');
  setRequestAccount(pending.uid);
  const account = await findById(pending.uid);
  // Its email was changed since, or its sign-ins revoked: the first factor is no longer one.
  if (account === null || account.facts.email !== pending.email) throw new ApiProblem('sign-in-expired');
  if (account.facts.validSince > pending.authenticatedAt.getTime() / 1000) throw new ApiProblem('sign-in-expired');
  return { pending, account };
}

/**
 * The same for an account that has no second factor, by its claim and by the records: who knows the password must not add an app to one
 * that has.
 * @throws ApiProblem as `requireWaitingSignIn`; `user-disabled`
 */
export async function requireSignInToSetUp(secret: string | undefined): Promise<WaitingSignIn> {
  const waiting = await requireWaitingSignIn(secret);
  const { uid, hasSecondFactor, disabled } = waiting.account.facts;
  if (disabled) throw new ApiProblem('user-disabled');
  const { since, apps } = await withRecords((records) => readSecondFactor(records, uid), RECORDS_TIMEOUT_MS);
  // Only a new sign-in leads on: it asks for that factor.
  if (hasSecondFactor || since !== null || apps.length > 0) throw new ApiProblem('sign-in-expired');
  return waiting;
}
