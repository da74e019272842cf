import { eq, inArray } from 'drizzle-orm';
import { recoveryEmails } from './schema';
import type { Records, Tx } from './engines';
import { now } from './jobs';

// Queries about recovery emails of accounts. lib/server/policy/email-change.ts decides what is allowed.

export type RecoveryEmail = typeof recoveryEmails.$inferSelect;

/** @returns null if the account has none */
export async function readRecoveryEmail(tx: Tx, uid: string): Promise<RecoveryEmail | null> {
  const [row] = await tx.select().from(recoveryEmails).where(eq(recoveryEmails.uid, uid)).limit(1);
  return row ?? null;
}

/** @returns the id of the account whose recovery email it is */
export async function findRecoveryOwner(records: Records, email: string): Promise<string | null> {
  const isIt = eq(recoveryEmails.email, email.toLowerCase());
  const [row] = await records.query((tx) =>
    tx.select({ uid: recoveryEmails.uid }).from(recoveryEmails).where(isIt).limit(1),
  );
  return row?.uid ?? null;
}

/**
 * Writes a proved recovery email. Call it within `writeAboutAccount`.
 * @returns false if the account has one already, or another account has this one
 */
export async function insertRecoveryEmail(tx: Tx, given: Omit<RecoveryEmail, 'addedAt'>): Promise<boolean> {
  const row = { ...given, addedAt: now };
  return (await tx.insert(recoveryEmails).values(row).onConflictDoNothing().returning()).length > 0;
}

export async function deleteRecoveryEmail(tx: Tx, uid: string): Promise<void> {
  await tx.delete(recoveryEmails).where(eq(recoveryEmails.uid, uid));
}

/** Lists the accounts whose recovery email is one of these. Each email has at most one. */
export function listRecoveryOwners(
  records: Records,
  emails: readonly string[],
): Promise<Pick<RecoveryEmail, 'uid' | 'email'>[]> {
  const isOne = inArray(recoveryEmails.email, [...new Set(emails.map((email) => email.toLowerCase()))]);
  // Bounded: a row for each of these emails.
  return records.query((tx) =>
    tx.select({ uid: recoveryEmails.uid, email: recoveryEmails.email }).from(recoveryEmails).where(isOne),
  );
}
