import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment, sessions } from './schema';

/** Codes, tokens, grants and interactions of the OpenID Provider (docs/adr/0038). They go with the session. */
export const oidcArtifacts = pgTable(
  'oidc_artifacts',
  {
    /** As the library names it, such as `AuthorizationCode`. */
    model: text().notNull(),
    /** SHA-256 of the code, token or id: a reader of the database can use none. */
    idDigest: text('id_digest').notNull(),
    /** Null for an interaction: its user has yet to sign in. */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** What a replayed code takes with it. */
    grantId: text('grant_id'),
    /** Without the code, token or id. */
    payload: jsonb().notNull(),
    /** When it was used; null: it was not. */
    consumedAt: moment('consumed_at'),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.model, table.idDigest] }),
    index('oidc_artifacts_of_session').on(table.sessionId),
    index('oidc_artifacts_of_grant').on(table.grantId),
    index('oidc_artifacts_by_expiry').on(table.expiresAt),
  ],
);

/** Clients that have signed a user in by a session: they are told when it ends. */
export const oidcClientSessions = pgTable(
  'oidc_client_sessions',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    clientId: text('client_id').notNull(),
    /** What this client knows the session by: another one for each client. */
    sid: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.clientId] })],
);

/**
 * Logout tokens to be sent (OpenID Connect Back-Channel Logout 1.0). Without a reference to `accounts`: the clients of a deleted account are
 * told after its records are gone.
 */
export const oidcLogouts = pgTable(
  'oidc_logouts',
  {
    /** Also the `jti` of the token. */
    id: uuid().primaryKey(),
    /** The account's id, from which the client's own subject is derived. */
    sub: text().notNull(),
    clientId: text('client_id').notNull(),
    /** Null: all sessions of the account. */
    sid: text(),
    createdAt: moment('created_at').notNull(),
    /** When it is sent next; while a process sends it, the end of its lease. */
    dueAt: moment('due_at').notNull(),
    attempts: integer().notNull().default(0),
    /** When it was given up. One that was received is deleted. */
    failedAt: moment('failed_at'),
    /** Of the last attempt, such as `HTTP 500`. */
    lastError: text('last_error'),
  },
  (table) => [index('oidc_logouts_due').on(table.dueAt)],
);
