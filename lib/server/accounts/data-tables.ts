import { asc, count, eq, getTableColumns } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import {
  accounts,
  deletions,
  devices,
  events,
  notices,
  passkeys,
  sessions,
  authenticatorApps,
  factorResets,
  pendingSignIns,
  recoveryCodes,
  type Records,
  type Tx,
} from '@/lib/server/storage';

type TableOfAccounts = PgTable & { uid: AnyPgColumn };

type Exported = {
  table: TableOfAccounts;
  order: AnyPgColumn;
  /** Columns that are of no use to the owner, and of use to a thief of the file. */
  withheld?: readonly string[];
};

/**
 * Every table of the schema with the records of accounts, by its name in the file. data-tables.test.ts fails for a table that is
 * not here: decide what its owner gets.
 */
export const EXPORTED_TABLES: Record<string, Exported> = {
  account: { table: accounts, order: accounts.uid },
  events: { table: events, order: events.at },
  devices: { table: devices, order: devices.firstSeenAt, withheld: ['cookieDigest'] },
  // Their cookies (`session_cookies`) are ids without data.
  sessions: { table: sessions, order: sessions.openedAt },
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
  for (const [name, { table, order, withheld = [] }] of Object.entries(EXPORTED_TABLES)) {
    const columns = Object.entries(getTableColumns(table)).filter(([column]) => !withheld.includes(column));
    // Bounded: one account's, all of which the owner is owed.
    found[name] = await tx
      .select(Object.fromEntries(columns))
      .from(table)
      .where(eq(table.uid, uid))
      .orderBy(asc(order));
  }
  return found;
}

/** How many rows there are about one account, without those of its sessions' cookies. */
export function countAccountRecords(records: Records, uid: string): Promise<number> {
  return records.transact(async (tx) => {
    let total = 0;
    for (const { table } of Object.values(EXPORTED_TABLES)) {
      const [row] = await tx.select({ rows: count() }).from(table).where(eq(table.uid, uid));
      total += row?.rows ?? 0;
    }
    return total;
  });
}
