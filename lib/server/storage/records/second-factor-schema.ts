import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  cidr,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { TokenMethod } from '@/lib/shared/sign-in-methods';
import { accounts, moment } from './schema';

/** Authenticator apps (RFC 6238), docs/adr/0032. */
export const authenticatorApps = pgTable(
  'authenticator_apps',
  {
    id: uuid().primaryKey(),
    uid: text()
      .notNull()
      .references(() => accounts.uid, { onDelete: 'cascade' }),
    /** The key, as a flattened JWE (RFC 7516) with the uid as additional authenticated data. */
    sealedKey: jsonb('sealed_key').notNull(),
    /** Which secret of the configuration sealed it. */
    keyId: text('key_id').notNull(),
    /** Time step of the last code that was accepted: neither it nor an earlier one is accepted again. */
    lastStep: bigint('last_step', { mode: 'number' }),
    createdAt: moment('created_at').notNull(),
    /** When it had shown a right code. */
    checkedAt: moment('checked_at'),
    /** When it was turned on; null: its owner is still setting it up. */
    confirmedAt: moment('confirmed_at'),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('apps_of_account').on(table.uid, table.createdAt),
    uniqueIndex('new_app_of_account')
      .on(table.uid)
      .where(sql`${table.confirmedAt} is null`),
    index('apps_by_key').on(table.keyId),
  ],
);

/** Recovery codes. A set replaces the one before when its owner has typed one of its codes. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: uuid().primaryKey(),
    uid: text()
      .notNull()
      .references(() => accounts.uid, { onDelete: 'cascade' }),
    /** Of all codes of one set, base64url. */
    salt: text().notNull(),
    /** scrypt (RFC 7914), base64url. */
    digest: text().notNull(),
    createdAt: moment('created_at').notNull(),
    /** Null: its owner has not shown yet to have kept the set. */
    confirmedAt: moment('confirmed_at'),
    usedAt: moment('used_at'),
  },
  (table) => [unique('recovery_codes_once').on(table.uid, table.digest)],
);

/** Sign-ins that wait for a second factor. */
export const pendingSignIns = pgTable(
  'pending_sign_ins',
  {
    /** SHA-256 of the browser's cookie. */
    digest: text().primaryKey(),
    uid: text()
      .notNull()
      .references(() => accounts.uid, { onDelete: 'cascade' }),
    /** The first factor: `sign_in_provider` of its ID token. */
    provider: text().notNull(),
    /** The same where our server has verified it. */
    method: text().$type<TokenMethod>(),
    /** The passkey that was the first factor, if the second one makes its user verification count. Its row may be gone. */
    unverifiedPasskey: uuid('unverified_passkey'),
    /** The `sid` of the session whose custom token it came from. */
    root: text(),
    /** The account's email then, in lower case. */
    email: text(),
    /** When the first factor was shown. */
    authenticatedAt: moment('proved_at').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Codes that were refused. */
    tries: integer().notNull().default(0),
    /** When the second factor was shown: it is used up. */
    passedAt: moment('passed_at'),
    /** The first one in a row of this browser, which has not completed any: each new one replaces the one before. */
    since: moment('since'),
    browser: text(),
    system: text(),
    /** A /24 or /48, never a full address. */
    network: cidr(),
    /** Brand and links of the email that tells its owner of it (`NoticeBrand`); null: it is not told. */
    brand: jsonb(),
  },
  (table) => [
    index('pending_sign_ins_of_account').on(table.uid),
    index('pending_sign_ins_by_expiry').on(table.expiresAt),
    check(
      'pending_sign_ins_network_is_coarse',
      sql`masklen(${table.network}) <= case family(${table.network}) when 4 then 24 else 48 end`,
    ),
  ],
);

/** Accounts whose owner has lost the second factor and asked to turn it off, which takes 72 hours (docs/adr/0033). */
export const factorResets = pgTable('factor_resets', {
  uid: text()
    .primaryKey()
    .references(() => accounts.uid, { onDelete: 'cascade' }),
  /** Of this request: links in emails belong to it, and not to a later one. */
  id: uuid().notNull().unique(),
  requestedAt: moment('requested_at').notNull(),
  effectiveAt: moment('effective_at').notNull(),
  /** The account's email at the request, which was proved for it. */
  email: text().notNull(),
  /** Brand and links of its emails (`NoticeBrand`). */
  brand: jsonb().notNull(),
  /** When the email of the second day was written. */
  remindedAt: moment('reminded_at'),
  /** When the email of the last hour was written. */
  warnedAt: moment('warned_at'),
  /** When turning it off began: from then on it cannot be canceled. */
  startedAt: moment('started_at'),
  /** When a process looks at it next; while one works on it, the end of its lease. */
  dueAt: moment('due_at').notNull(),
});
