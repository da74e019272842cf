import { asc, count, eq, getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import {
  accounts,
  deletions,
  devices,
  events,
  notices,
  oidcClientSessions,
  oidcLogouts,
  passkeys,
  provedEmails,
  sessions,
  authenticatorApps,
  factorResets,
  pendingSignIns,
  recoveryCodes,
  type Records,
  type Tx,
} from '@/lib/server/storage';

type Exported = {
  order: AnyPgColumn;
  /** Columns that are of no use to the owner, and of use to a thief of the file. */
  withheld?: readonly string[];
} & ({ table: PgTable & { uid: AnyPgColumn } } | { table: PgTable; isAbout: (uid: string) => SQL });

const isAboutAccount = (exported: Exported, uid: string) =>
  'isAbout' in exported ? exported.isAbout(uid) : eq(exported.table.uid, uid);

/**
 * Every table of the schema with the records of accounts, by its name in the file. data-tables.test.ts fails for a table that is
 * not here: decide what its owner gets.
 */
export const EXPORTED_TABLES: Record<string, Exported> = {
  account: { table: accounts, order: accounts.uid },
  // The email itself is in the account's claim.
  provedEmail: { table: provedEmails, order: provedEmails.uid, withheld: ['emailDigest'] },
  events: { table: events, order: events.at },
  devices: { table: devices, order: devices.firstSeenAt, withheld: ['cookieDigest'] },
  // Their cookies (`session_cookies`) are ids without data.
  sessions: { table: sessions, order: sessions.openedAt },
  // Their codes and tokens (`oidc_artifacts`) have no other data.
  openIdClients: {
    table: oidcClientSessions,
    order: oidcClientSessions.signedInAt,
    isAbout: (uid) =>
      sql`${oidcClientSessions.sessionId} in (select ${sessions.id} from ${sessions} where ${sessions.uid} = ${uid})`,
  },
  openIdLogouts: { table: oidcLogouts, order: oidcLogouts.createdAt, isAbout: (uid) => eq(oidcLogouts.sub, uid) },
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
  // The body of one that waits has the links of an email.
  notices: { table: notices, order: notices.createdAt, withheld: ['body'] },
};

/** All rows about one account, by table. */
export async function readTables(tx: Tx, uid: string): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [name, exported] of Object.entries(EXPORTED_TABLES)) {
    const { table, order, withheld = [] } = exported;
    const columns = Object.entries(getTableColumns(table)).filter(([column]) => !withheld.includes(column));
    // Bounded: one account's, all of which the owner is owed.
    found[name] = await tx
      .select(Object.fromEntries(columns))
      .from(table)
      .where(isAboutAccount(exported, uid))
      .orderBy(asc(order));
  }
  return found;
}

/** How many rows there are about one account, without those of its sessions' cookies. */
export function countAccountRecords(records: Records, uid: string): Promise<number> {
  return records.transact(async (tx) => {
    let total = 0;
    for (const exported of Object.values(EXPORTED_TABLES)) {
      const isAbout = isAboutAccount(exported, uid);
      const [row] = await tx.select({ rows: count() }).from(exported.table).where(isAbout);
      total += row?.rows ?? 0;
    }
    return total;
  });
}
