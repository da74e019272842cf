import { findByEmail, findById } from '@/lib/server/identity';
import { tellOfRecoveryEmail, toNoticeBrand, wakeOutbox } from '@/lib/server/notifications';
import { type Account, decideResetAccount, type IsSuspect } from '@/lib/server/policy';
import type { ClientDescription } from '@/lib/server/runtime';
import { changeOwnAccount, type LiveSession, requireProof, type SessionRequest } from '@/lib/server/session';
import {
  addEvent,
  deleteRecoveryEmail,
  findRecoveryOwner,
  type LockedAccount,
  type NoticeBrand,
  readRecoveryEmail,
  type Tx,
  withRecords,
  writeAboutAccount,
} from '@/lib/server/storage';
import { isApiProblem } from '@/lib/shared/problem';

// The recovery email of an account (docs/adr/0051). It gets a copy of each security email, and can reset the password. It
// cannot sign in. email-change.ts adds it, and makes it the account's email.

/** An account whose password a reset of an email changes. `isOwner`: the email is its recovery email. */
type ResetAccount = { account: Account; isOwner: boolean };

/** @returns the account that a reset of an email is about, or null @throws ApiProblem 503 */
export async function findToReset(email: string): Promise<ResetAccount | null> {
  const holder = await findByEmail(email);
  const owner = holder?.facts.emailVerified ? null : await findOwner(email);
  const chosen = decideResetAccount({ holder: holder?.facts ?? null, owner: owner?.facts ?? null });
  if (chosen === 'owner') return owner && { account: owner, isOwner: true };
  return chosen === null || holder === null ? null : { account: holder, isOwner: false };
}

/**
 * Returns the account whose recovery email it is. One that was deleted at the identity provider must not keep the address,
 * and loses it.
 * @param locked an account that the caller has locked
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function findOwner(email: string, locked: LockedAccount | null = null): Promise<Account | null> {
  try {
    const uid = await withRecords((records) => findRecoveryOwner(records, email));
    const owner = uid && (await findById(uid, locked));
    if (uid && !owner) await withRecords((records) => records.query((tx) => deleteRecoveryEmail(tx, uid)));
    return owner || null;
  } catch (error) {
    // With an upstream identity deployment, this one has no database and no recovery emails.
    if (isApiProblem(error) && error.code === 'not-found') return null;
    throw error;
  }
}

/** Whether an account still has a recovery email. */
export async function hasRecoveryEmail({ uid }: LockedAccount, email: string): Promise<boolean> {
  const found = await withRecords((records) => records.query((tx) => readRecoveryEmail(tx, uid)));
  return found?.email === email.toLowerCase();
}

type Occasion = { uid: string; at: Date; client?: ClientDescription };

/**
 * Removes a recovery email in the transaction of its event, and tells its mailbox. It does not tell the account's email.
 * @param isSuspect limits it to an email that a rule finds suspect
 * @returns whether it was removed
 */
export async function removeRecoveryEmail(
  tx: Tx,
  { uid, at, client }: Occasion,
  brand: NoticeBrand,
  isSuspect: IsSuspect = () => true,
): Promise<boolean> {
  const found = await readRecoveryEmail(tx, uid);
  if (found === null || !isSuspect({ addedIn: found.addedIn, at: found.addedAt })) return false;
  await deleteRecoveryEmail(tx, uid);
  await addEvent(tx, { uid, at, kind: 'recovery-email-removed', client });
  await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-gone', to: found.email }, brand);
  return true;
}

/**
 * Removes the recovery email of the signed-in user's account. Both mailboxes are told.
 * @throws ApiProblem of `requireProof`; `not-found` with an upstream deployment; `records-unavailable`, 401, 503
 */
export async function removeOwnRecoveryEmail(
  session: LiveSession,
  token: string | undefined,
  request: SessionRequest,
): Promise<void> {
  const { uid } = session.status;
  await requireProof(session, token, request);
  const brand = toNoticeBrand(await request.emailContext());
  await withRecords((records) =>
    changeOwnAccount(uid, request, async ({ locked, account }) => {
      const at = new Date();
      await writeAboutAccount(records, { uid, at }, async (tx) => {
        await locked.assertHeld(tx);
        const isRemoved = await removeRecoveryEmail(tx, { uid, at, client: request.client() }, brand);
        const to = account.facts.email;
        if (isRemoved && to !== null) await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-removed', to }, brand);
      });
    }),
  );
  wakeOutbox();
}
