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

/** Milliseconds, as JavaScript has them: a finer time would not survive a round trip through a cursor. */
export const moment = (name: string) => timestamp(name, { precision: 3, withTimezone: true });

/**
 * Accounts that this product holds records about. Every other table but `notices`, `provedEmails` and `requestedEmails` references it with `on delete cascade`:
 * deleting the row deletes all records of the account.
 */
export const accounts = pgTable(
  'accounts',
  {
    /** The identity provider's id. */
    uid: text().primaryKey(),
    /** Sign-in methods when they were last read, by the identity provider's ids; null before the first time. */
    methods: text().array(),
    /** When they had been read. */
    methodsAt: moment('methods_at'),
    /**
     * What passkeys know the account by (WebAuthn Level 3, user handle): 32 random bytes, base64url; never the uid. Null before the
     * first passkey.
     */
    userHandle: text('user_handle').unique(),
    /** Since when a sign-in takes a second factor; null: it takes none. An account claim says the same (docs/adr/0032). */
    secondFactorSince: moment('second_factor_since'),
    /** Wrong codes since the last right one, or since the last rest. */
    failedFactors: integer('failed_factors').notNull().default(0),
    /** Until then no code of an app is accepted; recovery codes and passkeys are. */
    factorsLockedUntil: moment('factors_rest_until'),
    /** Of its pages and emails, by its folder of `locales/`; null until a sign-in tells it. */
    language: text(),
    /** When receivers of webhooks were told that it is disabled; null: it was not, or has been signed in to since. */
    disabledToldAt: moment('disabled_told_at'),
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [index('accounts_by_age').on(table.seenAt)],
);

/**
 * Scripts and styles of the last builds: pages that were opened before an upgrade or a rollback ask for them, also at a process of another build
 * (docs/adr/0044). About no account.
 */
export const releasedFiles = pgTable(
  'released_files',
  {
    /** Below `/_next/static/`. */
    path: text().notNull(),
    build: text().notNull(),
    /** Compressed by gzip, in base64. */
    body: text().notNull(),
    /** Proves that a holder of `TOKEN_ENCRYPTION_SECRET` has written it: who writes to the database must not write scripts. */
    seal: text().notNull(),
    releasedAt: moment('released_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.path, table.build] })],
);

/** The account that a row is about: it goes with it. */
const accountColumn = () =>
  text()
    .notNull()
    .references(() => accounts.uid, { onDelete: 'cascade' });

/** A /24 or /48, never a full address. */
const networkColumn = () => cidr('network');
const isCoarse = (name: string, network: AnyPgColumn) =>
  check(name, sql`masklen(${network}) <= case family(${network}) when 4 then 24 else 48 end`);

/** Where a request came from (`ClientDescription`). */
const clientColumns = () => ({ network: networkColumn(), browser: text(), system: text() });

/**
 * The browser in which something was added to an account, in `devices`: a disavowed sign-in takes it along. Null when that is not known, as in
 * rows from before 2026-11-28. No reference: deleting a browser would read the table.
 */
const addedInColumn = () => uuid('added_in');

/** Brand and links of an email that is sent after its request: without who requested it. */
export type NoticeBrand = {
  /** Origin of the links in the email. */
  origin: string;
  brandName: string;
  accent: string;
  /** Whether its pages have a logo in place of the mark. */
  hasOwnLogo?: boolean | undefined;
  support: string;
  /** Absent in what was stored before 2026-11-26: English. */
  language?: Language | undefined;
};

/**
 * Which account has proved an email: found when that email has another account, or none. An index of the accounts' claims
 * (`proved_address`), which decide. Without a reference to `accounts`, whose rows are deleted when an owner is away for long.
 */
export const provedEmails = pgTable(
  'proved_emails',
  {
    uid: text().primaryKey(),
    /** SHA-256 of the email in lower case: it is looked up, and never read. */
    emailDigest: text('email_digest').notNull(),
  },
  (table) => [index('proved_emails_by_email').on(table.emailDigest)],
);

/** Of a change of an account that comes at a set time (scheduled.ts). The row goes with the account's. */
const scheduleColumns = () => ({
  uid: accountColumn().primaryKey(),
  /** Of this request: links in emails and notices belong to it, and not to a later one. */
  id: uuid().notNull().unique(),
  requestedAt: moment('requested_at').notNull(),
  effectiveAt: moment('effective_at').notNull(),
  /** Of its emails. */
  brand: jsonb().$type<NoticeBrand>().notNull(),
  /** When the reminder was written. */
  remindedAt: moment('reminded_at'),
  /** When the change itself began: from then on it cannot be canceled. */
  startedAt: moment('started_at'),
  /** When a process looks at it next; while one works on it, the end of its lease. */
  dueAt: moment('due_at').notNull(),
});

/** Of what is sent, and sent again until it is received. */
const queueColumns = () => ({
  createdAt: moment('created_at').notNull(),
  /** When it is sent next: at first at once, after a failure later; while a process sends it, the end of its lease. */
  dueAt: moment('due_at').notNull(),
  attempts: integer().notNull().default(0),
});

export const events = pgTable(
  'events',
  {
    /** Random: an ascending id would tell how many events other accounts have. */
    id: uuid().primaryKey(),
    uid: accountColumn(),
    kind: text().notNull(),
    at: moment('at').notNull(),
    ...clientColumns(),
    /** The sign-in method that the event is about, by the identity provider's id. */
    method: text(),
    addedIn: addedInColumn(),
  },
  (table) => [
    index('events_of_account').on(table.uid, table.at, table.id),
    index('events_by_age').on(table.at),
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
     * HMAC of the uid with the browser's secret (lib/server/session/request.ts): rows of two accounts do not tell that they are of
     * one browser. Null when no browser is known by it any more, as after a disavowal.
     */
    cookieDigest: text('cookie_digest'),
    browser: text(),
    system: text(),
    /** When its user chose that it is not asked for the second factor; null: it is. */
    rememberedAt: moment('remembered_at'),
    /**
     * Its first sign-in was announced to the owner, or completed the account's registration. Only such a browser is asked about sign-ins of
     * others: an unannounced intruder must not answer for the owner.
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
    /** Not the `sid`, which the browser's scripts can read. */
    id: uuid().primaryKey(),
    uid: accountColumn(),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => devices.id, { onDelete: 'cascade' }),
    /** The sign-in method, by the identity provider's id; null when unknown. */
    method: text(),
    /** The `sid` of the session whose custom token opened this one: it ends with that session. */
    root: text(),
    /** The last proof, or the later renewal by our server after a change that revoked everything: compared with revocations. */
    authenticatedAt: moment('proved_at').notNull(),
    /** The earliest proof of its cookies; null for a session from before this was recorded. */
    firstAuthenticatedAt: moment('first_proved_at'),
    openedAt: moment('opened_at').notNull(),
    /** When its browser last got another cookie, by a renewal or a sign-in. */
    renewedAt: moment('renewed_at'),
    lastSeenAt: moment('last_seen_at').notNull(),
    /** Of its cookie that expires last. */
    expiresAt: moment('expires_at').notNull(),
    endedAt: moment('ended_at'),
    endedBy: text('ended_by'),
    /** When a disavowal of this sign-in was last begun. */
    disavowingAt: moment('disavowing_at'),
    /** When the owner said that this sign-in was not theirs. */
    disavowedAt: moment('disavowed_at'),
    /** When the owner said on /security that it was theirs. */
    acknowledgedAt: moment('acknowledged_at'),
    /** Of the last request. */
    network: networkColumn(),
  },
  (table) => [
    uniqueIndex('live_session_of_device')
      .on(table.deviceId)
      .where(sql`${table.endedAt} is null`),
    // The other one has no row of a session that has ended: without this, each device that is deleted reads the whole table.
    index('sessions_of_device').on(table.deviceId),
    index('sessions_of_account').on(table.uid, table.authenticatedAt),
    index('sessions_by_root').on(table.root),
    index('sessions_by_expiry').on(table.expiresAt),
    isCoarse('sessions_network_is_coarse', table.network),
  ],
);

/** The cookies of a session: a renewal adds one, and those before it stay valid until they expire. */
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
    /** Of the authenticator, base64url. */
    credentialId: text('credential_id').notNull().unique(),
    /** COSE key (RFC 9052), base64url. */
    publicKey: text('public_key').notNull(),
    /** COSE algorithm. */
    algorithm: integer().notNull(),
    /** Signature counter; stays 0 for synced passkeys. */
    counter: bigint({ mode: 'number' }).notNull(),
    /** As the browser gave them, unknown ones too. */
    transports: text().array().notNull(),
    /** Model of the authenticator, or name of the password manager. */
    aaguid: uuid().notNull(),
    backupEligible: boolean('backup_eligible').notNull(),
    backedUp: boolean('backed_up').notNull(),
    /** `uvInitialized` (WebAuthn Level 3): at its creation, or since another factor was shown with it. Each sign-in requires it again. */
    userVerified: boolean('user_verified').notNull(),
    rpId: text('rp_id').notNull(),
    /** The proved email of the account, in lower case: for one with another email it is no proof. */
    email: text().notNull(),
    name: text(),
    /** `PasskeySource` */
    source: text().notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    /** When its counter went back. */
    suspectAt: moment('suspect_at'),
    addedIn: addedInColumn(),
  },
  (table) => [index('passkeys_of_account').on(table.uid, table.createdAt)],
);

/** Challenges that were used, until they have expired: each is used once, by whichever process. */
export const usedChallenges = pgTable(
  'used_challenges',
  { challenge: text().primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_challenges_by_expiry').on(table.expiresAt)],
);

/** Accounts whose owner has asked for deletion. */
export const deletions = pgTable('deletions', {
  ...scheduleColumns(),
  /** Where its emails go: the email at the time of the request, later also the one at the time of the deletion. */
  emails: text().array().notNull(),
  /** When the sessions of the account had been ended. */
  signedOutAt: moment('signed_out_at'),
});

/**
 * Emails that a response has promised, until they are sent (docs/adr/0008). Without a reference to `accounts`: they are written before one
 * is read, and of addresses without an account too.
 */
export const requestedEmails = pgTable(
  'requested_emails',
  {
    /** Also the `Message-ID`. */
    id: uuid().primaryKey(),
    kind: text().notNull(),
    /** What to send, and to whom: a JWE (lib/server/accounts/requested-email.ts). */
    sealed: text().notNull(),
    ...queueColumns(),
  },
  (table) => [index('requested_emails_due').on(table.dueAt)],
);

/**
 * Outbox of emails and webhooks (docs/adr/0028). Without a reference to `accounts`: the last ones about an account are sent
 * after its records are deleted.
 */
export const notices = pgTable(
  'notices',
  {
    /** Also the `Message-ID` of an email and the `webhook-id` of a webhook. */
    id: uuid().primaryKey(),
    uid: text().notNull(),
    kind: text().notNull(),
    /** What it announces: of one account and kind it is written once. */
    key: text().notNull(),
    /** Of a webhook, by its name in `WEBHOOKS_FILE`; null for an email, and for that of `WEBHOOK_URL`. */
    receiver: text(),
    /** What to send, and to whom; null once it was sent or given up. */
    body: jsonb(),
    ...queueColumns(),
    sentAt: moment('sent_at'),
    failedAt: moment('failed_at'),
    /** Of the last attempt, such as `EENVELOPE 550` or `HTTP 500`: never a message, which can contain an address. */
    lastError: text('last_error'),
  },
  (table) => [
    unique('notices_once').on(table.uid, table.kind, table.key),
    index('notices_by_age').on(table.createdAt),
    index('notices_due')
      .on(table.dueAt)
      .where(sql`${table.sentAt} is null and ${table.failedAt} is null`),
    index('notices_due_of_receiver')
      .on(table.receiver, table.dueAt)
      .where(sql`${table.sentAt} is null and ${table.failedAt} is null`),
  ],
);

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
    /** When it first did; null in rows from before 2026-11-28. */
    signedInAt: moment('signed_in_at'),
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
    ...queueColumns(),
    /** When it was given up. One that was received is deleted. */
    failedAt: moment('failed_at'),
    /** Of the last attempt, such as `HTTP 500`. */
    lastError: text('last_error'),
  },
  (table) => [
    // Without those that were given up, of which one client may have many.
    index('oidc_logouts_due_of_client')
      .on(table.clientId, table.dueAt)
      .where(sql`${table.failedAt} is null`),
    index('oidc_logouts_by_age').on(table.createdAt),
  ],
);

/** Authenticator apps (RFC 6238), docs/adr/0032. */
export const authenticatorApps = pgTable(
  'authenticator_apps',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
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

/** Recovery codes. A set replaces the one before when its owner has typed one of its codes. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: uuid().primaryKey(),
    uid: accountColumn(),
    /** Of all codes of one set, base64url. */
    salt: text().notNull(),
    /** scrypt (RFC 7914), base64url. */
    digest: text().notNull(),
    createdAt: moment('created_at').notNull(),
    /** Null: its owner has not shown yet to have kept the set. */
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
    ...clientColumns(),
    /** Of the email that tells its owner of it; null: it is not told. */
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
  /** The account's email at the request, which was proved for it. */
  email: text().notNull(),
  /** When the email of the last hour was written. */
  warnedAt: moment('warned_at'),
});
