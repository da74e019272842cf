import { readDeletion, removeRecoveryEmail } from '@/lib/server/accounts';
import {
  changeProvedEmail,
  findByEmail,
  findById,
  readStored,
  readStoredByEmail,
  retryWhileUnavailable,
  toAccount,
} from '@/lib/server/identity';
import { getOwnBrand, tellOfRecoveryEmail, wakeOutbox, writeChangeNotice } from '@/lib/server/notifications';
import { type Account, isStorable } from '@/lib/server/policy';
import { hashAccount, log } from '@/lib/server/runtime';
import {
  addEvent,
  endAllEmailChanges,
  endRevokedSessions,
  listPasskeys,
  markAllEnded,
  movePasskeys,
  type Records,
  withAccountLock,
  withRecords,
  writeAboutAccount,
} from '@/lib/server/storage';
import { ApiProblem } from '@/lib/shared/problem';
import { type ActionRefusal, getMailbox } from './decide';
import { decideMove } from './decide-move';

/** Which account gets which email, and why. `to`: in lower case. The owner reads the operator's name and the reason. */
export type MoveOrder = { operator: string; uid: string; to: string; reason: string };

const BY = 'email-changed';

/**
 * Gives an account another email, which the operator has verified. It keeps its id, sign-in methods, passkeys and second
 * factor. All sessions end, and so does what waits for the former email. Both mailboxes get an email. If it was
 * interrupted, repeat it.
 * @throws ApiProblem `not-found` without the account; `action-refused` by a rule of decide-move.ts;
 *   `records-unavailable`, 503
 */
export function moveAccount({ operator, uid, to, reason }: MoveOrder): Promise<void> {
  return withRecords((records) =>
    withAccountLock(uid, async (locked) => {
      const account = await findById(uid, locked);
      const holder = await findByEmail(to, locked);
      const refusal = decideMove(await readFacts(records, { uid, to, account, holder: holder?.user.uid ?? null }));
      if (refusal) throw new ApiProblem(refusal.rule === 'unknown-account' ? 'not-found' : 'action-refused', refusal);
      if (account === null) throw new ApiProblem('not-found');
      // Before the change, so that no change is without a trace.
      log().warn({ operator, account: hashAccount(uid) }, 'an operator changes the email of an account');
      const from = getMailbox(account.facts);
      const at = new Date();
      // An intruder may have changed the email or added a recovery email. Those mailboxes must not undo the move, also if it
      // is interrupted. No email resets the password of a managed account, so it keeps its recovery email.
      const hadRecoveryEmail = await writeAboutAccount(records, { uid, at }, async (tx) => {
        await endAllEmailChanges(tx, locked);
        return !account.facts.managed && (await removeRecoveryEmail(tx, { uid, at }, getOwnBrand()));
      });
      await retryWhileUnavailable(() => changeProvedEmail(locked, account.user, to));
      await writeAboutAccount(records, { uid, at }, async (tx) => {
        await movePasskeys(tx, locked, to);
        await addEvent(tx, { uid, at, kind: 'email-changed', operator, reason });
        const brand = getOwnBrand();
        if (from !== null && from !== to)
          await writeChangeNotice(tx, { uid, to: from }, { kind: 'email-changed' }, brand);
        await writeChangeNotice(tx, { uid, to }, { kind: 'support-change', change: 'emailChanged' }, brand);
        if (hadRecoveryEmail) await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-removed', to }, brand);
      });
      // A command ends before the background work of a revocation.
      await markAllEnded(await endRevokedSessions(records, { uid, at, by: BY, validSince: at }));
      wakeOutbox();
    }),
  );
}

/**
 * Says whether an account can get another email, without changing anything.
 * @returns why not, or null
 * @throws ApiProblem `records-unavailable`, 503
 */
export function planMove({ uid, to }: Pick<MoveOrder, 'uid' | 'to'>): Promise<ActionRefusal | null> {
  return withRecords(async (records) => {
    // `findById` and `findByEmail` would restore proved emails.
    const user = await readStored(uid);
    const holder = await readStoredByEmail(to);
    const account = user && (await toAccount(user));
    return decideMove(await readFacts(records, { uid, to, account, holder: holder?.uid ?? null }));
  });
}

type Found = { uid: string; to: string; account: Account | null; holder: string | null };

async function readFacts(records: Records, { uid, to, account, holder }: Found) {
  const { passkeys } = await listPasskeys(records, uid);
  return {
    to,
    account: account?.facts ?? null,
    holder: holder === uid ? null : holder,
    hasOtherPasskeys: passkeys.some(({ email }) => email !== to),
    isDeletionScheduled: (await readDeletion(records, uid)) !== null,
    hasRoom: isStorable(account?.user.customClaims, { proved: to }),
  };
}
