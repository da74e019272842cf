import { getOwnBrand, type EmailContext, type NoticeBrand } from '@/lib/server/notifications';
import type { Account } from '@/lib/server/policy';
import { withAccountLock, changeJudgedAccount, findById, restoreProvedEmail } from '@/lib/server/identity';
import { removeSecondFactor } from './setup-rows';
import { withRecords } from '@/lib/server/storage';
import { notifyOfSecondFactor } from './notify';

/**
 * Turns the second factor of an account off for its owner, who has lost everything: an operator's decision, which its owner is told by
 * email. All its sessions end.
 * @returns false when there is no such account
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnSecondFactorOff(uid: string): Promise<boolean> {
  return withAccountLock(uid, async () => {
    // Its owner gets the email, not an attacker who has changed the email since it was proved.
    await restoreProvedEmail(uid);
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
  account: Account,
  { kind, brand }: { kind: 'second-factor-off' | 'factor-reset-done'; brand: EmailContext | NoticeBrand },
): Promise<void> {
  const { uid, email } = account.facts;
  const at = new Date();
  const announce = notifyOfSecondFactor(kind, { uid, to: email ?? '', at, brand });
  await changeJudgedAccount(account, { claims: { secondFactorSince: null }, revoke: true });
  await withRecords((records) => removeSecondFactor(records, { uid, at, kind, announce }));
}
