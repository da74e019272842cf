import { and, eq, inArray, sql } from 'drizzle-orm';
import { digest, log } from '@/lib/server/runtime';
import { isApiProblem } from '@/lib/shared/problem';
import { withRecordsInTime } from '.';
import { provedEmails } from './schema';
import type { Records, Tx } from './engines';

// Finds the accounts that have proved an email. It is only an index, and the account's claim decides. So a stale or
// lost row gives no access.

/** Maximum accounts that have proved the same email, one after the other. */
const MAX_OWNERS = 5;
const MAX_STORED = 1_000;

export const digestEmail = (email: string) => digest(email.toLowerCase());

export type ProvedEmail = { uid: string; email: string };

/**
 * Lists the proofs that are not stored yet.
 * @returns an empty list if the database is unavailable; each sign-in tries again
 */
export function listNewProofs(proved: readonly ProvedEmail[]): Promise<ProvedEmail[]> {
  return inBatches(proved, async (records, batch) => {
    const ids = batch.map(({ uid }) => uid);
    // Bounded: a row for each account of the batch.
    const stored = await records.query((tx) => tx.select().from(provedEmails).where(inArray(provedEmails.uid, ids)));
    const digests = new Map(stored.map(({ uid, emailDigest }) => [uid, emailDigest]));
    return batch.filter(({ uid, email }) => digests.get(uid) !== digestEmail(email));
  });
}

/** Stores which emails accounts have proved. If the database is unavailable, each sign-in tries again. */
export async function storeProvedEmails(proved: readonly ProvedEmail[]): Promise<void> {
  const set = { emailDigest: sql`excluded.email_digest` };
  await inBatches(proved, async (records, batch) => {
    const rows = batch.map(({ uid, email }) => ({ uid, emailDigest: digestEmail(email) }));
    await records.query((tx) =>
      tx.insert(provedEmails).values(rows).onConflictDoUpdate({ target: provedEmails.uid, set }),
    );
    return [];
  });
}

async function inBatches<T>(
  proved: readonly ProvedEmail[],
  work: (records: Records, batch: readonly ProvedEmail[]) => Promise<T[]>,
): Promise<T[]> {
  try {
    return await withRecordsInTime(async (records) => {
      const results: T[] = [];
      for (let from = 0; from < proved.length; from += MAX_STORED)
        results.push(...(await work(records, proved.slice(from, from + MAX_STORED))));
      return results;
    });
  } catch (error) {
    rethrowUnlessAway(error);
    return [];
  }
}

/** Lists the accounts that may have proved an email. Empty if the database is unavailable. */
export async function listProvedBy(email: string): Promise<string[]> {
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

/** Deletes the rows of accounts that were deleted or have proved another email since. */
export async function forgetProvedEmails(ids: readonly string[], email: string): Promise<void> {
  const isOld = and(inArray(provedEmails.uid, [...ids]), eq(provedEmails.emailDigest, digestEmail(email)));
  await withRecordsInTime((records) => records.query((tx) => tx.delete(provedEmails).where(isOld))).catch(
    rethrowUnlessAway,
  );
}

/** Deletes the row of a deleted account. */
export async function deleteProvedEmail(tx: Tx, uid: string): Promise<void> {
  await tx.delete(provedEmails).where(eq(provedEmails.uid, uid));
}

function rethrowUnlessAway(error: unknown): void {
  if (!isApiProblem(error)) throw error;
  // Another deployment has the accounts and knows the owners.
  if (error.code === 'not-found') return;
  if (error.code !== 'records-unavailable') throw error;
  log().warn('the owner of an email could not be looked up or stored: the database is away');
}
