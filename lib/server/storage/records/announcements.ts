import { and, eq, gt, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { randomUUID } from 'node:crypto';
import { listWebhookReceivers } from '@/lib/server/runtime';
import type { EventKind } from '@/lib/shared/account/activity';
import { accounts, jobs, oidcArtifacts, oidcClientSessions, sessionCookies, sessions } from './schema';
import type { Records, Tx } from './engines';
import { now, wantRound } from './jobs';

// Notices for webhook receivers and OpenID clients, written in the transaction of the change that they announce.

/**
 * The reason for a session's end, as receivers get it. `owner`: another session of the owner ended it. `revoked`: all
 * earlier sign-ins were revoked. `not-allowed`: the account policy refused it. `other-account`: another account signed
 * in in this browser.
 */
type SessionEndReason =
  | 'sign-out'
  | 'owner'
  | 'disavowed'
  | 'revoked'
  | 'disabled'
  | 'deleted'
  | 'not-allowed'
  | 'other-account';

/** Causes for which all sign-ins of an account are revoked, named as in docs/account-policy.md#why-a-session-ended. */
export const REVOCATIONS = [
  'sign-out-everywhere',
  'signed-out-by-support',
  'other-devices-signed-out',
  'new-password',
  'mailbox-proof',
  'email-changed',
  'email-restored',
  'method-removed',
  'passkey-removed',
  'passkey-suspect',
  'second-factor-on',
  'second-factor-off',
  'factor-app-removed',
  'disavowed',
  'deletion-requested',
  'provider-outside-its-domains',
  'revoked-since-proof',
  'deleted-account',
] as const;
export type Revocation = (typeof REVOCATIONS)[number];

/** The reason for a session's end in its record. `owner`: another session of the account ended it. */
export type SessionEnd = 'owner' | 'sign-out' | 'expired' | Revocation;
/** Ends by the owner, after which the session's proof opens no session again. */
export const ENDS_OF_PROOF: readonly SessionEnd[] = ['owner', 'disavowed'];

/** Converts a recorded end to the reason that receivers get. */
export function toToldReason(end: Exclude<SessionEnd, 'expired'>): SessionEndReason {
  if (end === 'deleted-account') return 'deleted';
  return end === 'sign-out' || end === 'owner' || end === 'disavowed' ? end : 'revoked';
}

/**
 * The event of a webhook (docs/integration.md#webhooks). It contains no personal data, because a receiver that may have
 * it can request it.
 */
type WebhookEventData =
  | { type: 'account.deleted' | 'account.disabled'; data: { uid: string } }
  | { type: 'account.updated'; data: { uid: string; changed: ('name' | 'email')[] } }
  /** `sids`: values of the cookie `kk_sid` of the session. Null means all sessions until `timestamp`. */
  | { type: 'session.ended'; data: { uid: string; reason: SessionEndReason; sids: string[] | null } };
/** `timestamp`: time of the event, RFC 3339. */
export type WebhookEvent = WebhookEventData & { timestamp: string };

/**
 * Kinds of webhooks in `jobs`. Versions before 2026-11-26 support only the first kind, for the receiver of
 * `WEBHOOK_URL`.
 */
export const WEBHOOK_KINDS = ['account.deleted', 'webhook'] as const;
/** Kind of logout tokens in `jobs`. */
export const LOGOUT_KIND = 'logout';

/**
 * Writes a webhook event for each receiver of its type, in the transaction of the change.
 * @param once a key under which the event is written once; by default each call writes it
 */
export async function addWebhookEvent(tx: Tx, event: WebhookEventData, once: string = randomUUID()): Promise<void> {
  const { type, data } = event;
  const receivers = (await listWebhookReceivers()).filter(({ events }) => events.includes(type));
  if (receivers.length === 0) return;
  const told: WebhookEvent = { type, timestamp: new Date().toISOString(), data } as WebhookEvent;
  const common = { uid: data.uid, body: { channel: 'webhook', event: told }, createdAt: sql`now()`, dueAt: sql`now()` };
  const rows = receivers.map(({ name }) =>
    name === null
      ? { ...common, id: randomUUID(), kind: type, key: once, receiver: null }
      : { ...common, id: randomUUID(), kind: 'webhook', key: `${name}/${type}/${once}`, receiver: name },
  );
  await tx.insert(jobs).values(rows).onConflictDoNothing();
  wakeAfterCommit();
}

/** Security events that change the data a platform has about an account. */
export const UPDATES: Partial<Record<EventKind, 'name' | 'email'>> = {
  'name-changed': 'name',
  'email-verified': 'email',
  'email-changed': 'email',
  'email-restored': 'email',
};

/**
 * Delay until the announcing transaction should have committed, in milliseconds. The next round finds the work of a
 * longer transaction.
 */
const COMMIT_MS = 50;

function wakeAfterCommit(): void {
  setTimeout(() => wantRound('receivers'), COMMIT_MS).unref();
}

/**
 * Maximum number of cookies in an event, which then has 32 KB. An intruder can open a session each second. Beyond this
 * number, the event covers all sessions.
 */
const MAX_TOLD_COOKIES = 1_000;

type AnnouncedEnd = {
  uid: string;
  /** Whether all sessions of the account ended. Then the event names none. */
  everywhere: boolean;
  reason: SessionEndReason;
  /**
   * A key under which the end is announced once. Needed if the record stays, because the end can then be found
   * repeatedly.
   */
  once?: string;
};

/**
 * Ends everything that clients have from these sessions, in the transaction that ends them. Codes, tokens and grants of
 * the OpenID Provider end immediately (docs/adr/0038). Each client and each webhook receiver is notified once.
 */
export async function announceSessionEnds(
  tx: Tx,
  sessionIds: readonly string[],
  { uid, everywhere, reason, once }: AnnouncedEnd,
): Promise<void> {
  const ids = [...sessionIds];
  await endClientSessions(tx, ids, { uid, everywhere });
  const receivers = ids.length === 0 ? [] : await listWebhookReceivers();
  if (!receivers.some(({ events }) => events.includes('session.ended'))) return;
  const sids = everywhere ? null : await listSids(tx, ids);
  await addWebhookEvent(tx, { type: 'session.ended', data: { uid, reason, sids } }, once);
}

/**
 * Condition: the column has any of these values. `inArray` has a parameter for each value, and a statement takes at
 * most 65,535.
 */
const isAmong = (column: PgColumn, values: readonly string[]): SQL => sql`${column} = any(${sql.param(values)})`;

/** Length of an id that was made for a proof, which is a UUID. A cookie's id is shorter. */
export const PROOF_ID_LENGTH = 36;

/** Condition of `session_cookies`: the row is a cookie. The other rows are ids of proofs. */
export const isOfCookie = sql`length(${sessionCookies.sid}) < ${PROOF_ID_LENGTH}`;

/**
 * When a session got its newest cookie, by a sign-in or a renewal. Checks do not count, because anyone with a copy of a
 * cookie can make them.
 */
export const lastCookieAt = sql`coalesce(${sessions.renewedAt}, ${sessions.openedAt})`;

/** @returns null if there are too many */
async function listSids(tx: Tx, ids: string[]): Promise<string[] | null> {
  const cookies = await tx
    .select({ sid: sessionCookies.sid })
    .from(sessionCookies)
    .where(and(isAmong(sessionCookies.sessionId, ids), isOfCookie))
    .limit(MAX_TOLD_COOKIES + 1);
  return cookies.length > MAX_TOLD_COOKIES ? null : cookies.map(({ sid }) => sid).sort();
}

/** Maximum number of rows in a statement, because each row has its own parameters. */
const MAX_INSERTED = 1_000;

/**
 * Ends everything that clients have from these sessions, and notifies the clients. `everywhere`: covers all sessions
 * that the account ever had, because a client can have kept its own session alive after ours expired.
 */
export async function endClientSessions(
  tx: Tx,
  ids: string[],
  { uid, everywhere }: Pick<AnnouncedEnd, 'uid' | 'everywhere'>,
): Promise<void> {
  if (ids.length === 0 && !everywhere) return;
  const ofAccount = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.uid, uid));
  const isEnded = (column: PgColumn) => (everywhere ? inArray(column, ofAccount) : isAmong(column, ids));
  await tx.delete(oidcArtifacts).where(isEnded(oidcArtifacts.sessionId));
  const told = await tx
    .delete(oidcClientSessions)
    .where(isEnded(oidcClientSessions.sessionId))
    .returning({ clientId: oidcClientSessions.clientId, sid: oidcClientSessions.sid });
  const clients = everywhere
    ? [...new Set(told.map(({ clientId }) => clientId))].map((clientId) => ({ clientId, sid: null }))
    : told;
  if (clients.length === 0) return;
  wakeAfterCommit();
  for (let from = 0; from < clients.length; from += MAX_INSERTED) {
    const rows = clients.slice(from, from + MAX_INSERTED).map(({ clientId, sid }) => ({
      id: sql`gen_random_uuid()`,
      uid,
      kind: LOGOUT_KIND,
      receiver: clientId,
      payload: sid,
      createdAt: now,
      dueAt: now,
    }));
    await tx.insert(jobs).values(rows);
  }
}

/** Announces the end of all sessions of an account whose records are deleted. */
export async function announceDeletedSessions(tx: Tx, uid: string): Promise<void> {
  const live = await listLive(tx, uid);
  await announceSessionEnds(tx, live, { uid, everywhere: true, reason: 'deleted' });
}

/** Lists the live sessions of an account and locks them, so that no other transaction ends them. */
async function listLive(tx: Tx, uid: string): Promise<string[]> {
  const isLive = and(eq(sessions.uid, uid), isNull(sessions.endedAt), gt(sessions.expiresAt, sql`now()`));
  // Bounded: the sessions of one account, of which none may be left out.
  const live = await tx.select({ id: sessions.id }).from(sessions).where(isLive).for('update');
  return live.map(({ id }) => id);
}

/**
 * Announces the end of sessions that are refused although their records stay. They become usable again if the policy allows
 * them again. Call it within `writeAboutKnownAccount`.
 */
export async function announceUnusableSessions(
  tx: Tx,
  uid: string,
  ids: readonly string[],
  reason: 'not-allowed' | 'other-account',
): Promise<void> {
  for (const id of ids) {
    // A session that became usable again has another cookie, and its end must be announced again.
    const since = sql<string>`extract(epoch from ${lastCookieAt})::text`;
    const [session] = await tx.select({ since }).from(sessions).where(eq(sessions.id, id)).limit(1);
    const once = `${id}/${reason}/${session?.since ?? ''}`;
    await announceSessionEnds(tx, [id], { uid, everywhere: false, reason, once });
  }
}

/** Announces a disabled account and the end of all its sessions. Call it within `writeAboutKnownAccount`. */
export async function announceDisabledAccount(tx: Tx, uid: string): Promise<void> {
  const isUntold = and(eq(accounts.uid, uid), isNull(accounts.disabledToldAt));
  const noticed = await tx
    .update(accounts)
    .set({ disabledToldAt: sql`now()` })
    .where(isUntold)
    .returning({ uid: accounts.uid });
  if (noticed.length === 0) return;
  await addWebhookEvent(tx, { type: 'account.disabled', data: { uid } });
  await announceSessionEnds(tx, await listLive(tx, uid), { uid, everywhere: true, reason: 'disabled' });
}

/**
 * Returns when receivers were notified that an account is disabled. Null if they were not, or if it was later found
 * enabled.
 */
export async function readDisabledToldAt(records: Records, uid: string): Promise<Date | null> {
  const ofAccount = eq(accounts.uid, uid);
  const [found] = await records.query((tx) =>
    tx.select({ at: accounts.disabledToldAt }).from(accounts).where(ofAccount),
  );
  return found?.at ?? null;
}

/**
 * Forgets the notification, so that receivers are notified again when the account is next disabled. @param toldAt time
 * of the notification before the account was found enabled
 */
export async function forgetDisabledTold(records: Records, uid: string, toldAt: Date): Promise<void> {
  const isThis = and(eq(accounts.uid, uid), eq(accounts.disabledToldAt, toldAt));
  await records.query((tx) => tx.update(accounts).set({ disabledToldAt: null }).where(isThis));
}
