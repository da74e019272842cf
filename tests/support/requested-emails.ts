import { randomBytes, randomUUID } from 'node:crypto';
import { isNull, sql } from 'drizzle-orm';
import { vi } from 'vitest';
import type { RequestedEmail } from '@/lib/server/accounts/requested-email';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { jobs } from '@/lib/server/storage/records/schema';
import type { Records } from '@/lib/server/storage/records/engines';

/** Ends leases, as if this process had been killed some time ago. @param id limits it to one row */
export async function letLeasesEnd(records: Records, id: string | null = null): Promise<void> {
  await records.transact((tx) =>
    tx.execute(sql`update jobs set due_at = now() - interval '1 second'
      where uid is null and (${id}::uuid is null or id = ${id}::uuid)`),
  );
}

export const readRequestedEmails = (records: Records) =>
  records.transact((tx) => tx.select().from(jobs).where(isNull(jobs.uid)).orderBy(jobs.createdAt));

/** Builds the email of a registration as the route prepares it. */
export function buildRegistration(
  email = `${randomUUID()}@campus.test`,
): Extract<RequestedEmail, { kind: 'confirmation' }> {
  const uid = randomBytes(21).toString('base64url');
  const method = { presentedMethod: 'password', presentedSubject: null };
  return {
    kind: 'confirmation',
    pending: { uid, email, registration: randomUUID(), ...method, isRegistration: true },
    code: 'ABC234',
  };
}

/** Blocks lookups of accounts until `release`. `lookups`: the addresses in the order of their turns. */
export function holdLookups() {
  const admin = getIdentityAdmin();
  const getUserByEmail = admin.getUserByEmail.bind(admin);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const lookups: string[] = [];
  vi.spyOn(admin, 'getUserByEmail').mockImplementation(async (email) => {
    lookups.push(email);
    await held;
    return getUserByEmail(email);
  });
  return { release, lookups };
}
