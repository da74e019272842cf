import { and, eq, inArray, sql } from 'drizzle-orm';
import { digest, log } from '@/lib/server/runtime';
import { isApiProblem } from '@/lib/shared/problem';
import { hasRecords, withRecordsInTime } from '.';
import { provedEmails } from './schema';
import type { Tx } from './engines';

// Which account has proved an email. An index: the account's claim decides, so that an old row, or a lost one, gives no one anything.

/** An email that several accounts have proved, one after the other. */
const MAX_OWNERS = 5;
const MAX_STORED = 1_000;

export const digestEmail = (email: string) => digest(email.toLowerCase());

/**
 * Stores which emails accounts have proved.
 * @returns false while the database is away: each sign-in stores it again
 */
export async function storeProvedEmails(proved: readonly { uid: string; email: string }[]): Promise<boolean> {
  if (!hasRecords()) return false;
  const rows = proved.map(({ uid, email }) => ({ uid, emailDigest: digestEmail(email) }));
  const { uid, emailDigest } = provedEmails;
  const set = { emailDigest: sql`excluded.email_digest` };
  const setWhere = sql`${emailDigest} <> excluded.email_digest`;
  try {
    await withRecordsInTime(async (records) => {
      for (let from = 0; from < rows.length; from += MAX_STORED) {
        const values = rows.slice(from, from + MAX_STORED);
        await records.query((tx) =>
          tx.insert(provedEmails).values(values).onConflictDoUpdate({ target: uid, set, setWhere }),
        );
      }
    });
    return true;
  } catch (error) {
    rethrowUnlessAway(error);
    return false;
  }
}

/** The accounts that may have proved an email; none without a database, and while it is away. */
export async function listProvedBy(email: string): Promise<string[]> {
  if (!hasRecords()) return [];
  const hasEmail = eq(provedEmails.emailDigest, digestEmail(email));
  try {
    const found = await withRecordsInTime((records) =>
      records.query((tx) => tx.select({ uid: provedEmails.uid }).from(provedEmails).where(hasEmail).limit(MAX_OWNERS)),
    );
    return found.map(({ uid }) => uid);
  } catch (error) {
    rethrowUnlessAway(error);
    return [];
  }
}

/** Forgets accounts that are gone, or have proved another email since. */
export async function forgetProvedEmails(ids: readonly string[], email: string): Promise<void> {
  const isOld = and(inArray(provedEmails.uid, [...ids]), eq(provedEmails.emailDigest, digestEmail(email)));
  await withRecordsInTime((records) => records.query((tx) => tx.delete(provedEmails).where(isOld))).catch(
    rethrowUnlessAway,
  );
}

/** With the other records of an account that is deleted. */
export async function deleteProvedEmail(tx: Tx, uid: string): Promise<void> {
  await tx.delete(provedEmails).where(eq(provedEmails.uid, uid));
}

function rethrowUnlessAway(error: unknown): void {
  if (!isApiProblem(error) || error.code !== 'records-unavailable') throw error;
  log().warn('the owner of an email could not be looked up or stored: the database is away');
}
