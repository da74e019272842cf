import { withAccountLock, findById } from '@/lib/server/identity';
import { hashAccount, log } from '@/lib/server/runtime';
import {
  cancelReset,
  emailAboutReset,
  readWarningSent,
  removeReset,
  startReset,
  toFactorReset,
  type FactorReset,
} from '@/lib/server/notifications';
import { advanceDue, postpone, factorResets, type Records } from '@/lib/server/storage';
import { readSecondFactor } from '../rows';
import { turnOff } from '../turn-off';
import { decideReset, type ResetFacts } from '@/lib/server/policy';

/**
 * Does what requested resets need now: emails, and turning the second factor off.
 * @throws RecordsError
 */
export function advanceFactorResets(records: Records): Promise<void> {
  return advanceDue(records, factorResets, {
    advance: (row, now) => advance(records, toFactorReset(row), now),
    delayed: 'the reset of a second factor is delayed',
  });
}

async function advance(records: Records, reset: FactorReset, now: Date): Promise<void> {
  const { uid, id } = reset;
  const account = await readAccountState(records, reset);
  const sentAt = await readWarningSent(records, reset);
  const decision = decideReset({ now, ...reset, sentAt, account });
  switch (decision.step) {
    case 'hold':
      log().warn({ account: hashAccount(uid) }, 'the reset of a second factor of a disabled account waits');
      return postpone(records, factorResets, reset, decision.dueAt);
    case 'wait':
      return postpone(records, factorResets, reset, decision.dueAt);
    case 'remind':
      return emailAboutReset(records, reset, 'reminder');
    case 'warn':
      return emailAboutReset(records, reset, 'warning');
    case 'drop':
      return records.transact(async (tx) => void (await removeReset(tx, uid)));
    case 'cancel':
      return records.transact(async (tx) => void (await cancelReset(tx, { uid, id, at: new Date() })));
    case 'turn-off':
      return finish(records, reset);
  }
}

async function readAccountState(records: Records, { uid, email }: FactorReset): Promise<ResetFacts['account']> {
  const account = await findById(uid);
  if (account === null) return 'gone';
  const { facts } = account;
  // Before its being disabled: an email that was not proved counts as that.
  if (facts.email !== email) return 'other';
  if (facts.disabled) return 'disabled';
  if (facts.hasSecondFactor) return 'same';
  return (await readSecondFactor(records, uid)).since === null ? 'other' : 'same';
}

/** @throws ApiProblem 503 */
async function finish(records: Records, reset: FactorReset): Promise<void> {
  const { uid, brand, email, startedAt } = reset;
  await withAccountLock(uid, async () => {
    const account = await findById(uid);
    // Once more, with the account's lock: nothing is turned off for another email than the one that asked for it.
    if (account === null || (startedAt === null && account.facts.email !== email)) return;
    if (!(await startReset(records, reset))) return;
    await turnOff(account, { kind: 'factor-reset-done', brand });
    log().info({ account: hashAccount(uid) }, 'a lost second factor was turned off');
  });
}
