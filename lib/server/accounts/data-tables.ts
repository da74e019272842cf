import { asc, count, eq, getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import {
  accounts,
  deletions,
  devices,
  emailChanges,
  events,
  jobs,
  oidcClientSessions,
  passkeys,
  provedEmails,
  sessions,
  authenticatorApps,
  factorResets,
  pendingSignIns,
  recoveryCodes,
  recoveryEmails,
  sentEmails,
  concernsSubject,
  type EmailSubject,
  type Records,
  type Tx,
} from '@/lib/server/storage';

type Exported = {
  order: AnyPgColumn;
  /** Columns that do not help the owner but would help someone who steals the file. */
  withheld?: readonly string[];
} & (
  | { table: PgTable & { uid: AnyPgColumn } }
  | { table: PgTable; isAbout: (subject: EmailSubject) => SQL | undefined }
);

const isAboutAccount = (exported: Exported, subject: EmailSubject) =>
  'isAbout' in exported ? exported.isAbout(subject) : eq(exported.table.uid, subject.uid);

/**
 * Every table of the schema with records of accounts, by its name in the file. If data-tables.test.ts fails for a new
 * table, decide which of its columns the owner gets.
 */
export const EXPORTED_TABLES: Record<string, Exported> = {
  account: { table: accounts, order: accounts.uid },
  // The email itself is in the account's claim.
  provedEmail: { table: provedEmails, order: provedEmails.uid, withheld: ['emailDigest'] },
  events: { table: events, order: events.at },
  devices: { table: devices, order: devices.firstSeenAt, withheld: ['cookieDigest'] },
  // The sessions' cookies (`session_cookies`) are ids without further data.
  sessions: { table: sessions, order: sessions.openedAt },
  // The codes and tokens of these sessions (`oidc_artifacts`) have no further data.
  openIdClients: {
    table: oidcClientSessions,
    order: oidcClientSessions.signedInAt,
    isAbout: ({ uid }) =>
      sql`${oidcClientSessions.sessionId} in (select ${sessions.id} from ${sessions} where ${sessions.uid} = ${uid})`,
  },
  passkeys: { table: passkeys, order: passkeys.createdAt },
  authenticatorApps: {
    table: authenticatorApps,
    order: authenticatorApps.createdAt,
    withheld: ['sealedKey', 'keyId', 'lastStep'],
  },
  recoveryCodes: { table: recoveryCodes, order: recoveryCodes.createdAt, withheld: ['salt', 'digest'] },
  pendingSignIns: { table: pendingSignIns, order: pendingSignIns.createdAt, withheld: ['digest'] },
  factorReset: { table: factorResets, order: factorResets.requestedAt },
  deletion: { table: deletions, order: deletions.requestedAt },
  recoveryEmail: { table: recoveryEmails, order: recoveryEmails.addedAt },
  emailChanges: { table: emailChanges, order: emailChanges.requestedAt },
  // Includes emails to the account's addresses that were sent without reading the account.
  emails: { table: sentEmails, order: sentEmails.at, isAbout: concernsSubject, withheld: ['addressDigest'] },
  // The body of a waiting notice contains the links of an email, which a thief of the file could use.
  notices: { table: jobs, order: jobs.createdAt, withheld: ['body', 'payload'] },
};

/** Reads all rows about one account, by table. @param addresses its emails, which find the records of emails to them */
export async function readTables(
  tx: Tx,
  uid: string,
  addresses: readonly string[] = [],
): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [name, exported] of Object.entries(EXPORTED_TABLES)) {
    const { table, order, withheld = [] } = exported;
    const columns = Object.entries(getTableColumns(table)).filter(([column]) => !withheld.includes(column));
    // Bounded: these are the rows of one account, and the owner is entitled to all of them.
    found[name] = await tx
      .select(Object.fromEntries(columns))
      .from(table)
      .where(isAboutAccount(exported, { uid, addresses }))
      .orderBy(asc(order));
  }
  return found;
}

/** Counts the rows about one account, without its sessions' cookies. */
export function countAccountRecords(records: Records, uid: string): Promise<number> {
  return records.transact(async (tx) => {
    let total = 0;
    for (const exported of Object.values(EXPORTED_TABLES)) {
      const isAbout = isAboutAccount(exported, { uid, addresses: [] });
      const [row] = await tx.select({ rows: count() }).from(exported.table).where(isAbout);
      total += row?.rows ?? 0;
    }
    return total;
  });
}
