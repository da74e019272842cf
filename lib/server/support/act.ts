import { eq } from 'drizzle-orm';
import { collectAccountData, deleteByOrder, keepAccountBy, sendByOrder } from '@/lib/server/accounts';
import { changeAccountWithSessions, findById, readStored, toAccount } from '@/lib/server/identity';
import { getOwnBrand, type SupportChange, wakeOutbox, writeChangeNotice } from '@/lib/server/notifications';
import type { StoredAccount } from '@/lib/server/policy';
import { hashAccount, log } from '@/lib/server/runtime';
import { turnSecondFactorOff } from '@/lib/server/second-factor';
import { revokeAllSessions } from '@/lib/server/session';
import {
  accounts,
  addEvent,
  announceDisabledAccount,
  consumeLimit,
  endRevokedSessions,
  hasAccountRecords,
  insertEvent,
  type LockedAccount,
  markAllEnded,
  type Records,
  type Tx,
  withAccountLock,
  withRecords,
  writeAboutAccount,
} from '@/lib/server/storage';
import type { EventKind } from '@/lib/shared/account/activity';
import { ApiProblem } from '@/lib/shared/problem';
import type { AccountAction, ActionDone } from '@/lib/shared/support/desk';
import { type ActionRefusal, decideAction, getMailbox } from './decide';
import { readActionState, toActionFacts } from './facts';
import { recordLook } from './look-up';

/** What an operator wants to do with which account, and why. The owner reads the operator's name and the reason. */
export type ActionOrder = { operator: string; action: AccountAction; uid: string; reason: string };

/** `to`: the mailbox of the owner, null without one. */
type Subject = ActionOrder & {
  locked: LockedAccount;
  records: Records;
  at: Date;
  user: StoredAccount | null;
  to: string | null;
};
type Result = Pick<ActionDone, 'receipt' | 'data'>;

/**
 * Does something with an account by order of an operator. Operators take turns, so the second of two finds what the first
 * has done. The owner gets an email if the account changes, and sees the event, with the operator's name and the reason.
 * @throws ApiProblem `not-found` without the account; `action-refused` by a rule of decide.ts; `too-many-requests`,
 *   `records-unavailable`, 503
 */
export async function actOnAccount(order: ActionOrder): Promise<ActionDone> {
  const { operator, action, uid } = order;
  await consumeLimit('support-action', operator);
  return withRecords((records) =>
    withAccountLock(uid, async (locked) => {
      // With its proved email, because an intruder must not get the emails about it.
      const account = await findById(uid, locked);
      const facts = toActionFacts(account, await readActionState(records, uid));
      const refusal = decideAction(action, facts);
      if (refusal) {
        if (refusal.rule === 'unknown-account') throw new ApiProblem('not-found', refusal);
        // The refusal says something about the account, so it is a look.
        await recordLook(records, order);
        throw new ApiProblem('action-refused', refusal);
      }
      // Before the change, so that no change is without a trace.
      log().warn({ operator, action, account: hashAccount(uid) }, 'an operator acts on an account');
      await locked.assertHeld();
      const at = new Date();
      const result = await CHANGES[action]({
        ...order,
        locked,
        records,
        at,
        user: account?.user ?? null,
        to: getMailbox(facts.account),
      });
      wakeOutbox();
      return { action, uid, at: at.toISOString(), ...result };
    }),
  );
}

/**
 * Says whether the state of an account allows an action, without changing the account.
 * @returns why not, or null
 * @throws ApiProblem `records-unavailable`, 503
 */
export function planAction(action: AccountAction, uid: string): Promise<ActionRefusal | null> {
  return withRecords(async (records) => {
    // `findById` would restore its proved email.
    const user = await readStored(uid);
    return decideAction(action, toActionFacts(user && (await toAccount(user)), await readActionState(records, uid)));
  });
}

/** Each action. It calls what the owner's page or the command calls. */
const CHANGES: Record<AccountAction, (subject: Subject) => Promise<Result>> = {
  'resend-confirmation': (subject) => sendOrderedEmail(subject, 'sign-in-help'),
  'send-reset': (subject) => sendOrderedEmail(subject, 'support-reset'),
  'sign-out': async (subject) => {
    const { records, locked, uid, at } = subject;
    const by = 'signed-out-by-support';
    await revokeAllSessions(locked, by);
    await record(subject, 'signed-out-everywhere', 'signedOut');
    // The command ends before the background work of a revocation.
    await markAllEnded(await endRevokedSessions(records, { uid, at, by, validSince: at }));
    return {};
  },
  disable: async (subject) => {
    const { uid } = subject;
    await changeAccountWithSessions(uid, { disabled: true });
    await record(subject, 'account-disabled', 'disabled', (tx) => announceDisabledAccount(tx, uid));
    return {};
  },
  enable: async (subject) => {
    const { uid } = subject;
    await changeAccountWithSessions(uid, { disabled: false });
    // Receivers are notified again when it is disabled again.
    await record(subject, 'account-enabled', 'enabled', (tx) => setColumns(tx, uid, { disabledToldAt: null }));
    return {};
  },
  unlock: async (subject) => {
    const unlocked = { failedFactors: 0, factorsLockedUntil: null };
    await record(subject, 'factor-unlocked', 'unlocked', (tx) => setColumns(tx, subject.uid, unlocked));
    return {};
  },
  'cancel-deletion': async ({ records, locked, operator, reason }) => {
    // It has begun since the account was read.
    if (!(await keepAccountBy(records, locked, { operator, reason })))
      throw new ApiProblem('action-refused', { rule: 'deletion-begun', detail: 'The account is being deleted' });
    return {};
  },
  'second-factor-off': async ({ locked, operator, reason }) => {
    await turnSecondFactorOff(locked, { operator, reason });
    return {};
  },
  delete: async ({ records, locked, uid, user, to }) => {
    await deleteByOrder(records, locked, to);
    const isLeft = (await readStored(uid)) !== null || (await hasAccountRecords(records, uid));
    // Another process carries it out.
    if (isLeft) throw new ApiProblem('provider-unavailable', { retryAfter: 5 });
    const deleted = [...(user ? ['sessions', 'account at the identity provider'] : []), 'records in the database'];
    return { receipt: { uid, deletedAt: new Date().toISOString(), deleted, emailed: to !== null } };
  },
  export: async ({ records, uid, user, at, operator, reason }) => {
    if (user === null) throw new ApiProblem('not-found');
    // First, so that the file names this export, too.
    await insertEvent(records, { uid, at, kind: 'data-downloaded', operator, reason });
    return { data: await collectAccountData(records, user) };
  },
};

async function sendOrderedEmail(subject: Subject, kind: Parameters<typeof sendByOrder>[1]['kind']): Promise<Result> {
  const { records, uid, at, to, operator, reason } = subject;
  await insertEvent(records, { uid, at, kind: 'support-emailed', operator, reason });
  await sendByOrder(uid, { kind, email: to ?? '' });
  return {};
}

/** Records a change with its event and the email about it, in one transaction. */
function record(
  { records, uid, at, to, operator, reason }: Subject,
  kind: EventKind,
  change: SupportChange,
  also: (tx: Tx) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    await also(tx);
    await addEvent(tx, { uid, at, kind, operator, reason });
    if (to !== null) await writeChangeNotice(tx, { uid, to }, { kind: 'support-change', change }, getOwnBrand());
  });
}

async function setColumns(tx: Tx, uid: string, columns: Partial<typeof accounts.$inferInsert>): Promise<void> {
  await tx.update(accounts).set(columns).where(eq(accounts.uid, uid));
}
