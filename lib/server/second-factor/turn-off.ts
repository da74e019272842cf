import { getOwnBrand, type EmailContext } from '../email';
import type { Account } from '../account-policy/account';
import { withAccountLock } from '../accounts/account-lock';
import { findById } from '../accounts/find';
import type { NoticeBrand } from '../notices/types';
import { removeSecondFactor } from '../records/second-factor-setup';
import { withRecords } from '../records/with-records';
import { changeAccountWithSessions } from '../session/change-account';
import { announceSecondFactor } from './announce';
import { withSecondFactorClaim } from './claims';

/**
 * Turns the second factor of an account off for its owner, who has lost everything: an operator's decision, which its owner is told by
 * email. All its sessions end.
 * @returns false when there is no such account
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnSecondFactorOff(uid: string): Promise<boolean> {
  return withAccountLock(uid, async () => {
    const account = await findById(uid);
    if (account === null) return false;
    await turnOff(account, { kind: 'second-factor-off', brand: getOwnBrand() });
    return true;
  });
}

/**
 * Turns the second factor of an account off, and ends all its sessions. Repeated after an interruption, it announces nothing twice.
 * @param occasion its event and email
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnOff(
  { user, facts }: Account,
  { kind, brand }: { kind: 'second-factor-off' | 'factor-reset-done'; brand: EmailContext | NoticeBrand },
): Promise<void> {
  const { uid } = facts;
  const at = new Date();
  const announce = announceSecondFactor(kind, { uid, to: facts.email ?? '', at, brand });
  await changeAccountWithSessions(uid, { claims: withSecondFactorClaim(user, null), revoke: true });
  await withRecords((records) => removeSecondFactor(records, { uid, at, kind, announce }));
}
