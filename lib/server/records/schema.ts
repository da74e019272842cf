import { sql } from 'drizzle-orm';
import { check, cidr, index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Milliseconds, as JavaScript has them: a finer time would not survive a round trip through a cursor. */
const moment = (name: string) => timestamp(name, { precision: 3, withTimezone: true });

/**
 * Accounts that this product holds records about. Every other table references it with `on delete cascade`: deleting the
 * row deletes all records of the account.
 */
export const accounts = pgTable('accounts', {
  /** The identity provider's id. */
  uid: text().primaryKey(),
  /** Sign-in methods when they were last read, by the identity provider's ids; null before the first time. */
  methods: text().array(),
  /** When they had been read. */
  methodsAt: moment('methods_at'),
  seenAt: moment('seen_at').notNull(),
});

/** Security events of accounts. */
export const events = pgTable(
  'events',
  {
    /** Random: an ascending id would tell how many events other accounts have. */
    id: uuid().primaryKey(),
    uid: text()
      .notNull()
      .references(() => accounts.uid, { onDelete: 'cascade' }),
    kind: text().notNull(),
    at: moment('at').notNull(),
    /** A /24 or /48, never a full address. */
    network: cidr(),
    browser: text(),
    system: text(),
    /** The sign-in method that the event is about, by the identity provider's id. */
    method: text(),
  },
  (table) => [
    index('events_of_account').on(table.uid, table.at, table.id),
    index('events_by_age').on(table.at),
    check(
      'events_network_is_coarse',
      sql`masklen(${table.network}) <= case family(${table.network}) when 4 then 24 else 48 end`,
    ),
  ],
);
