import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  cidr,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Language } from '@/lib/shared/i18n/languages';
import type { TokenMethod } from '@/lib/shared/sign-in-methods';

/** A time in milliseconds, as in JavaScript. A finer time would not survive a round trip through a cursor. */
export const moment = (name: string) => timestamp(name, { precision: 3, withTimezone: true });

/**
 * Accounts that this product has records about. Deleting a row deletes all records of the account, because other tables
 * reference it with `on delete cascade`. `jobs`, `provedEmails` and `sentEmails` do not.
 */
export const accounts = pgTable(
  'accounts',
  {
    /** The identity provider's id. */
    uid: text().primaryKey(),
    /** The last known sign-in methods, by the identity provider's ids. Null before the first read. */
    methods: text().array(),
    /** When the methods had been read. */
    methodsAt: moment('methods_at'),
    /**
     * The account's user handle in passkeys (WebAuthn Level 3): 32 random bytes, base64url, never the uid. Null before the
     * first passkey.
     */
    userHandle: text('user_handle').unique(),
    /** Since when a sign-in requires a second factor. Null if it does not. An account claim must agree (docs/adr/0032). */
    secondFactorSince: moment('second_factor_since'),
    /** Number of wrong codes since the last right code or the last lockout. */
    failedFactors: integer('failed_factors').notNull().default(0),
    /** End of the lockout. Until then, codes of apps are refused. Recovery codes and passkeys are accepted. */
    factorsLockedUntil: moment('factors_rest_until'),
    /** Language of its pages and emails, by the folder in `locales/`. Null before the first sign-in that sets it. */
    language: text(),
    /** When webhook receivers were notified that it is disabled. Null if they were not, or after a later sign-in. */
    disabledToldAt: moment('disabled_told_at'),
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [index('accounts_by_age').on(table.seenAt)],
);

/**
 * Scripts and styles of the last builds, unrelated to accounts. Pages that were opened before an upgrade or a rollback
 * request them from a process of another build (docs/adr/0044).
 */
export const releasedFiles = pgTable(
  'released_files',
  {
    /** Path below `/_next/static/`. */
    path: text().notNull(),
    build: text().notNull(),
    /** Contents, compressed by gzip, in base64. */
    body: text().notNull(),
    /** Proves that a holder of `TOKEN_ENCRYPTION_SECRET` wrote the row. Write access to the database is not enough. */
    seal: text().notNull(),
    releasedAt: moment('released_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.path, table.build] })],
);

/** Which change of an account runs now (account-lock.ts). */
export const accountLocks = pgTable('account_locks', {
  /** The account's id, or another name for what is locked. */
  subject: text().primaryKey(),
  holder: uuid().notNull(),
  expiresAt: moment('expires_at').notNull(),
});

/** The account of a row. Deleting the account deletes the row. */
const accountColumn = () =>
  text()
    .notNull()
    .references(() => accounts.uid, { onDelete: 'cascade' });

/** The client's network: a /24 or /48, never a full address. */
const networkColumn = () => cidr('network');
const isCoarse = (name: string, network: AnyPgColumn) =>
  check(name, sql`masklen(${network}) <= case family(${network}) when 4 then 24 else 48 end`);

/** Where a request came from (`ClientDescription`). */
const clientColumns = () => ({ network: networkColumn(), browser: text(), system: text() });

/**
 * The browser (in `devices`) in which something was added to an account. Disavowing a sign-in of that browser removes it.
 * Null if unknown, as in rows from before 2026-11-28. It is no reference, because deleting a browser would read the table.
 */
const addedInColumn = () => uuid('added_in');

/** Brand and links of an email that is sent after its request. It does not identify the requester. */
export type NoticeBrand = {
  /** Origin of the links in the email. */
  origin: string;
  brandName: string;
  accent: string;
  /** Whether the pages have a logo instead of the mark. */
  hasOwnLogo?: boolean | undefined;
  support: string;
  /** Absent in data from before 2026-11-26, which is English. */
  language?: Language | undefined;
};

/**
 * Finds the account that has proved an email if another account, or none, has that email now. It is only an index: the
 * accounts' claims (`proved_address`) decide. It has no reference to `accounts`, because these rows expire.
 */
export const provedEmails = pgTable(
  'proved_emails',
  {
    uid: text().primaryKey(),
    /** SHA-256 of the email in lower case. Queries look it up and never need the email. */
    emailDigest: text('email_digest').notNull(),
  },
  (table) => [index('proved_emails_by_email').on(table.emailDigest)],
);

/** Changes of accounts' emails, and new recovery emails, by their owners. Rows stay until their link for undoing them has expired. */
export const emailChanges = pgTable(
  'email_changes',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
    /** `main`: the account gets this email. `recovery`: it becomes the account's recovery email. */
    kind: text().$type<'main' | 'recovery'>().notNull().default('main'),
    /** The account's email at the request, in lower case. */
    from: text('from_email').notNull(),
    to: text('to_email').notNull(),
    requestedAt: moment('requested_at').notNull(),
    /** When the new mailbox was proved, just before the account got the new email or recovery email. */
    doneAt: moment('done_at'),
    /** When it was canceled, undone or replaced by a later one. */
    endedAt: moment('ended_at'),
  },
  (table) => [
    index('email_changes_of_account').on(table.uid, table.requestedAt),
    index('email_changes_by_age').on(table.requestedAt),
  ],
);

/** Recovery emails of accounts (docs/adr/0051). An account has at most one, and an email is that of at most one account. */
export const recoveryEmails = pgTable('recovery_emails', {
  uid: accountColumn().primaryKey(),
  /** In lower case. */
  email: text().notNull().unique(),
  addedAt: moment('added_at').notNull(),
  addedIn: addedInColumn(),
});

/** Columns of a scheduled change of an account (scheduled.ts). */
const scheduleColumns = () => ({
  uid: accountColumn().primaryKey(),
  /** Id of this request. Links in emails and notices belong to it, and not to a later request. */
  id: uuid().notNull().unique(),
  requestedAt: moment('requested_at').notNull(),
  effectiveAt: moment('effective_at').notNull(),
  /** Brand of its emails. */
  brand: jsonb().$type<NoticeBrand>().notNull(),
  /** When the reminder was written. */
  remindedAt: moment('reminded_at'),
  /** When the change itself began. From then on, it cannot be canceled. */
  startedAt: moment('started_at'),
  /** When a process looks at it next. While a process works on it, the end of its lease. */
  dueAt: moment('due_at').notNull(),
});

export const events = pgTable(
  'events',
  {
    /** A random id. An ascending id would reveal how many events other accounts have. */
    id: uuid().primaryKey(),
    uid: accountColumn(),
    kind: text().notNull(),
    at: moment('at').notNull(),
    ...clientColumns(),
    /** The sign-in method that the event is about, by the identity provider's id. */
    method: text(),
    /** The rule of docs/account-policy.md that refused, for a refusal. */
    rule: text(),
    addedIn: addedInColumn(),
    /** Name of the operator who did it (docs/support/index.md). Null for everyone else. */
    operator: text(),
    /** Why the operator did it. The owner reads it. */
    reason: text(),
    /** The request that caused it, as in the log. Null in rows from before 2026-11-30, and without a request. */
    requestId: text('request_id'),
    /** The support code that the caller sent. Null in rows from before 2026-11-30, and for other callers. */
    supportCode: text('support_code'),
  },
  (table) => [
    index('events_of_account').on(table.uid, table.at, table.id),
    index('events_by_age').on(table.at),
    index('events_of_request').on(table.requestId).concurrently(),
    index('events_of_support_code')
      .on(table.supportCode)
      .where(sql`${table.supportCode} is not null`)
      .concurrently(),
    isCoarse('events_network_is_coarse', table.network),
  ],
);

/** Browsers in which an account has signed in. */
export const devices = pgTable(
  'devices',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
    /**
     * HMAC of the uid with the browser's secret (lib/server/session/request.ts), so that rows of two accounts do not reveal a
     * shared browser. Null if the browser was forgotten, as after a disavowal.
     */
    cookieDigest: text('cookie_digest'),
    browser: text(),
    system: text(),
    /** When its user chose to skip the second factor here. Null if it is not skipped. */
    rememberedAt: moment('remembered_at'),
    /**
     * Whether its first sign-in was announced to the owner, or completed the account's registration. Only such a browser is
     * asked about sign-ins of others, because an unannounced intruder must not answer for the owner.
     */
    isIntroduced: boolean('is_introduced').notNull().default(false),
    firstSeenAt: moment('first_seen_at').notNull(),
    lastSeenAt: moment('last_seen_at').notNull(),
  },
  (table) => [
    unique('devices_of_account').on(table.uid, table.cookieDigest),
    index('devices_by_age').on(table.lastSeenAt),
  ],
);

/** Sessions of accounts. A browser has at most one live session of an account. */
export const sessions = pgTable(
  'sessions',
  {
    /** A separate id, because the browser's scripts can read the `sid`. */
    id: uuid().primaryKey(),
    uid: accountColumn(),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    /** The sign-in method, by the identity provider's id; null when unknown. */
    method: text(),
    /** The `sid` of the session whose custom token opened this session. Both end together. */
    root: text(),
    /** The last proof, or our later renewal after a change that revoked all sessions. Revocations are compared with it. */
    authenticatedAt: moment('proved_at').notNull(),
    /** The earliest proof of its cookies. Null for older sessions. */
    firstAuthenticatedAt: moment('first_proved_at'),
    openedAt: moment('opened_at').notNull(),
    /** When its browser last got a new cookie, by a renewal or a sign-in. */
    renewedAt: moment('renewed_at'),
    lastSeenAt: moment('last_seen_at').notNull(),
    /** When its last cookie expires. */
    expiresAt: moment('expires_at').notNull(),
    endedAt: moment('ended_at'),
    /** The reason of docs/account-policy.md#why-a-session-ended. `revoked` if it ended before 2026-11-29. */
    endedBy: text('ended_by'),
    /** When a disavowal of this sign-in was last begun. */
    disavowingAt: moment('disavowing_at'),
    /** When the owner disavowed this sign-in. */
    disavowedAt: moment('disavowed_at'),
    /** When the owner confirmed this sign-in on /security. */
    acknowledgedAt: moment('acknowledged_at'),
    /** Network of the last request. */
    network: networkColumn(),
  },
  (table) => [
    uniqueIndex('live_session_of_device')
      .on(table.deviceId)
      .where(sql`${table.endedAt} is null`),
    // The unique index has no ended sessions. Without this index, deleting a device would read the whole table.
    index('sessions_of_device').on(table.deviceId),
    index('sessions_of_account').on(table.uid, table.authenticatedAt),
    index('sessions_by_root').on(table.root),
    index('sessions_by_expiry').on(table.expiresAt),
    isCoarse('sessions_network_is_coarse', table.network),
  ],
);

/** The cookies of a session. A renewal adds a cookie, and earlier cookies stay valid until they expire. */
export const sessionCookies = pgTable(
  'session_cookies',
  {
    /** lib/server/session/tokens.ts */
    sid: text().primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('cookies_of_session').on(table.sessionId)],
);

/** Passkeys (WebAuthn Level 3), docs/adr/0030. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
    /** The authenticator's credential id, base64url. */
    credentialId: text('credential_id').notNull().unique(),
    /** COSE key (RFC 9052), base64url. */
    publicKey: text('public_key').notNull(),
    /** COSE algorithm. */
    algorithm: integer().notNull(),
    /** Signature counter. It stays 0 for synced passkeys. */
    counter: bigint({ mode: 'number' }).notNull(),
    /** Transports from the browser, including unknown ones. */
    transports: text().array().notNull(),
    /** Model of the authenticator, or name of the password manager. */
    aaguid: uuid().notNull(),
    backupEligible: boolean('backup_eligible').notNull(),
    backedUp: boolean('backed_up').notNull(),
    /** `uvInitialized` (WebAuthn Level 3): set at creation, or once another factor was shown with it. */
    userVerified: boolean('user_verified').notNull(),
    rpId: text('rp_id').notNull(),
    /** The account's proved email in lower case. The passkey is no proof once the account has another email. */
    email: text().notNull(),
    name: text(),
    /** `PasskeySource` */
    source: text().notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    /** When the counter went back. */
    suspectAt: moment('suspect_at'),
    addedIn: addedInColumn(),
  },
  (table) => [index('passkeys_of_account').on(table.uid, table.createdAt)],
);

/**
 * Used challenges, and used keys of codes and links (used-once.ts), until they expire. Each is used once across all
 * processes. Also stores the ends of sessions without a record.
 */
export const usedChallenges = pgTable(
  'used_challenges',
  { challenge: text().primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_challenges_by_expiry').on(table.expiresAt)],
);

/** Accounts whose owner has asked for deletion. */
export const deletions = pgTable('deletions', {
  ...scheduleColumns(),
  /** Recipients of its emails: the email at the request, later also the email at the deletion. */
  emails: text().array().notNull(),
  /** When the account's sessions had ended. */
  signedOutAt: moment('signed_out_at'),
});

/**
 * Work that a process does after the transaction that writes it: emails, webhooks and logout tokens (docs/adr/0047). It has
 * no reference to `accounts`, because the last notices about an account are sent after its records are deleted. Versions
 * before 2026-11-29 see its rows as the views `notices`, `requested_emails` and `oidc_logouts`.
 */
export const jobs = pgTable(
  'jobs',
  {
    /** Also the `Message-ID` of an email, the `webhook-id` of a webhook, and the `jti` of a logout token. */
    id: uuid().primaryKey(),
    /**
     * The account that it is about. Null for a requested email, which is written before an account is read, and also for
     * addresses without an account (docs/adr/0008).
     */
    uid: text(),
    /** Which handler does it. */
    kind: text().notNull(),
    /** Identifies the announced change. An account and kind has a key only once. Null if each row is a change of its own. */
    key: text(),
    /**
     * Name of the webhook receiver in `WEBHOOKS_FILE`, or id of the OpenID client. Null for an email, and for the receiver
     * of `WEBHOOK_URL`.
     */
    receiver: text(),
    /** Message and recipient of a notice. Null once the notice was sent or given up. */
    body: jsonb(),
    /** A requested email: what to send, and to whom, as a JWE. A logout token: id of the session, null for all sessions. */
    payload: text(),
    createdAt: moment('created_at').notNull(),
    /** When it is done next: at once, and later after a failure. While a process works on it, the end of its lease. */
    dueAt: moment('due_at').notNull(),
    attempts: integer().notNull().default(0),
    sentAt: moment('sent_at'),
    failedAt: moment('failed_at'),
    /** Code of the last failure, such as `EENVELOPE 550` or `HTTP 500`. Never a message, which can contain an address. */
    lastError: text('last_error'),
  },
  (table) => [
    unique('jobs_once').on(table.uid, table.kind, table.key),
    index('jobs_by_age').on(table.createdAt),
    index('jobs_due')
      .on(table.dueAt)
      .where(sql`${table.sentAt} is null and ${table.failedAt} is null`),
    index('jobs_due_of_receiver')
      .on(table.receiver, table.dueAt)
      .where(sql`${table.sentAt} is null and ${table.failedAt} is null`),
  ],
);

/**
 * Attempts to hand an email to the mail server, for support. They have no reference to `accounts`, because an email is also
 * sent to an address without an account, and after an account is deleted.
 */
export const sentEmails = pgTable(
  'sent_emails',
  {
    id: uuid().primaryKey(),
    /** The account that the email is about. Null if its sender did not know it. */
    uid: text(),
    /** HMAC-SHA-256 of the address in lower case (sent-emails.ts). */
    addressDigest: text('address_digest').notNull(),
    kind: text().notNull(),
    /** The id in the `Message-ID`. */
    messageId: uuid('message_id').notNull(),
    /** `EmailResult` */
    result: text().notNull(),
    /** Answer of the mail server, bounded and without addresses. */
    answer: text().notNull(),
    at: moment('at').notNull(),
  },
  (table) => [
    index('sent_emails_of_account').on(table.uid, table.at),
    index('sent_emails_to_address').on(table.addressDigest, table.at),
    index('sent_emails_by_age').on(table.at),
  ],
);

/** Codes, tokens, grants and interactions of the OpenID Provider (docs/adr/0038). They are deleted with the session. */
export const oidcArtifacts = pgTable(
  'oidc_artifacts',
  {
    /** The library's name, such as `AuthorizationCode`. */
    model: text().notNull(),
    /** SHA-256 of the code, token or id, so that a reader of the database cannot use it. */
    idDigest: text('id_digest').notNull(),
    /** Null for an interaction, because its user has not signed in yet. */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** The grant. A replayed code revokes everything of its grant. */
    grantId: text('grant_id'),
    /** The library's data, without the code, token or id. */
    payload: jsonb().notNull(),
    /** When it was used. Null if it was not. */
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

/** Clients that have signed a user in by a session. They are notified when it ends. */
export const oidcClientSessions = pgTable(
  'oidc_client_sessions',
  {
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    clientId: text('client_id').notNull(),
    /** The session's id for this client. Each client has a different id. */
    sid: text().notNull(),
    /** When the client first signed the user in. Null in rows from before 2026-11-28. */
    signedInAt: moment('signed_in_at'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.clientId] })],
);

/** Authenticator apps (RFC 6238), docs/adr/0032. */
export const authenticatorApps = pgTable(
  'authenticator_apps',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
    /** The key, as a flattened JWE (RFC 7516) with the uid as additional authenticated data. */
    sealedKey: jsonb('sealed_key').notNull(),
    /** Id of the configured secret that sealed the key. */
    keyId: text('key_id').notNull(),
    /** Time step of the last accepted code. This step and earlier steps are refused. */
    lastStep: bigint('last_step', { mode: 'number' }),
    createdAt: moment('created_at').notNull(),
    /** When the owner had typed a right code of it. */
    checkedAt: moment('checked_at'),
    /** When it was turned on. Null while the owner sets it up. */
    confirmedAt: moment('confirmed_at'),
    lastUsedAt: moment('last_used_at'),
    addedIn: addedInColumn(),
  },
  (table) => [
    index('apps_of_account').on(table.uid, table.createdAt),
    uniqueIndex('new_app_of_account')
      .on(table.uid)
      .where(sql`${table.confirmedAt} is null`),
    index('apps_by_key').on(table.keyId),
  ],
);

/** Recovery codes. A new set replaces the previous set once the owner has typed one of its codes. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
    /** Salt of all codes of a set, base64url. */
    salt: text().notNull(),
    /** scrypt (RFC 7914), base64url. */
    digest: text().notNull(),
    createdAt: moment('created_at').notNull(),
    /** Null until the owner has typed a code of the set. */
    confirmedAt: moment('confirmed_at'),
    usedAt: moment('used_at'),
    addedIn: addedInColumn(),
  },
  (table) => [unique('recovery_codes_once').on(table.uid, table.digest)],
);

/** Sign-ins that wait for a second factor. */
export const pendingSignIns = pgTable(
  'pending_sign_ins',
  {
    /** SHA-256 of the browser's cookie. */
    digest: text().primaryKey(),
    uid: accountColumn(),
    /** The first factor: `sign_in_provider` of its ID token. */
    provider: text().notNull(),
    /** The first factor, if our server has verified it itself. */
    method: text().$type<TokenMethod>(),
    /** The passkey that was the first factor, if the second factor makes its user verification count. It may be deleted. */
    unverifiedPasskey: uuid('unverified_passkey'),
    /** The `sid` of the session whose custom token began this sign-in. */
    root: text(),
    /** The account's email at that time, in lower case. */
    email: text(),
    /** When the first factor was shown. */
    authenticatedAt: moment('proved_at').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Number of refused codes. */
    tries: integer().notNull().default(0),
    /** When the second factor was shown, after which the row cannot be used again. */
    passedAt: moment('passed_at'),
    /** Start of the first of this browser's incomplete sign-ins. Each new sign-in replaces the previous one. */
    since: moment('since'),
    ...clientColumns(),
    /** Brand of the email that notifies the owner. Null if the owner is not notified. */
    brand: jsonb().$type<NoticeBrand>(),
  },
  (table) => [
    index('pending_sign_ins_of_account').on(table.uid),
    index('pending_sign_ins_by_expiry').on(table.expiresAt),
    index('pending_sign_ins_untold')
      .on(table.since)
      .where(sql`${table.passedAt} is null and ${table.brand} is not null`),
    isCoarse('pending_sign_ins_network_is_coarse', table.network),
  ],
);

/** Accounts whose owner has lost the second factor and asked to turn it off, which takes 72 hours (docs/adr/0033). */
export const factorResets = pgTable('factor_resets', {
  ...scheduleColumns(),
  /** The account's email at the request, which a code has proved. */
  email: text().notNull(),
  /** When the last email, an hour before the reset, was written. */
  warnedAt: moment('warned_at'),
});
