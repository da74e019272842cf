import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { RequestedEmail } from '@/lib/server/accounts/requested-email';
import { requestedEmails } from '@/lib/server/storage/records/schema';
import type { Records } from '@/lib/server/storage/records/engines';

/** As if this process had been killed some time ago. @param id of one row; all by default */
export async function letLeasesEnd(records: Records, id: string | null = null): Promise<void> {
  await records.transact((tx) =>
    tx.execute(sql`update requested_emails set due_at = now() - interval '1 second'
      where ${id}::uuid is null or id = ${id}::uuid`),
  );
}

/** As if all emails had been tried until the next attempt is the last one. */
export async function letTriesPass(records: Records): Promise<void> {
  await records.transact((tx) =>
    tx.execute(sql`update requested_emails set attempts = 3, created_at = now() - interval '370 seconds'`),
  );
}

export const readRequestedEmails = (records: Records) =>
  records.transact((tx) => tx.select().from(requestedEmails).orderBy(requestedEmails.createdAt));

/** A registration, as the route prepares it. */
export function buildRegistration(
  email = `${randomUUID()}@campus.test`,
): Extract<RequestedEmail, { kind: 'registration' }> {
  const uid = randomBytes(21).toString('base64url');
  return {
    kind: 'registration',
    account: { uid, name: 'Mia Moreau', email, password: 'quiet-lantern-42' },
    pending: { uid, email, registration: randomUUID(), presentedMethod: 'password', presentedSubject: null },
    code: 'ABC234',
  };
}
