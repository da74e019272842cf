import { and, eq, gt, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { randomUUID } from 'node:crypto';
import { listWebhookReceivers, processWide } from '@/lib/server/runtime';
import type { EventKind } from '@/lib/shared/account/activity';
import { accounts, notices, oidcArtifacts, oidcClientSessions, oidcLogouts, sessionCookies, sessions } from './schema';
import type { Records, Tx } from './engines';

// What receivers of webhooks and clients of the OpenID Provider are told, in the transaction of what they are told of.

/**
 * Why a session is over, as receivers are told. `owner`: from another session; `revoked`: with all sign-ins until then; `not-allowed`: by the
 * account policy; `other-account`: another one signed in in this browser.
 */
export type SessionEndReason =
  | 'sign-out'
  | 'owner'
  | 'disavowed'
  | 'revoked'
  | 'disabled'
  | 'deleted'
  | 'not-allowed'
  | 'other-account';

/** What happened (docs/integration.md#webhooks). Personal data stays here: a receiver asks for it where it may. */
type WebhookEventData =
  | { type: 'account.deleted' | 'account.disabled'; data: { uid: string } }
  | { type: 'account.updated'; data: { uid: string; changed: ('name' | 'email')[] } }
  /** `sids`: values of the cookie `kk_sid` that stand for the session; null: all sessions until `timestamp`. */
  | { type: 'session.ended'; data: { uid: string; reason: SessionEndReason; sids: string[] | null } };
/** `timestamp`: when it happened, RFC 3339. */
export type WebhookEvent = WebhookEventData & { timestamp: string };

/** Kinds of webhooks in `notices`. Versions from before 2026-11-26 know the first alone, of the receiver of `WEBHOOK_URL`. */
export const WEBHOOK_KINDS = ['account.deleted', 'webhook'] as const;

/**
 * Tells each receiver that is to know of it, in the transaction of what it tells of.
 * @param once an event of this key is told once; each by default
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
  await tx.insert(notices).values(rows).onConflictDoNothing();
  wakeAfterCommit();
}

/** Which security events change what a platform knows of an account. */
export const UPDATES: Partial<Record<EventKind, 'name' | 'email'>> = {
  'name-changed': 'name',
  'email-verified': 'email',
  'email-changed': 'email',
  'email-restored': 'email',
};

/** Until the transaction that announces is over, in milliseconds. One that takes longer is found in the next round. */
const COMMIT_MS = 50;

const slot = () => processWide('announcement-wake', () => ({ wake: () => {} }));

/** @param wake sends webhooks and logout tokens that are due */
export function onAnnouncement(wake: () => void): void {
  slot().wake = wake;
}

function wakeAfterCommit(): void {
  setTimeout(() => slot().wake(), COMMIT_MS).unref();
}

/** Of one event, which is then 32 KB. An intruder can have a session opened each second: beyond it, receivers are told of all of them. */
const MAX_TOLD_COOKIES = 1_000;

type AnnouncedEnd = {
  uid: string;
  /** All sessions of the account: none is named. */
  everywhere: boolean;
  reason: SessionEndReason;
  /** Its record goes on, so that it can be found more than once: it is told once by this key. */
  once?: string;
};

/**
 * Ends what others have of these sessions, in the transaction that ends them: codes, tokens and grants of the OpenID Provider at once
 * (docs/adr/0038). Each of its clients, and each receiver of webhooks, is told once.
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

/** Condition: one of any number of values. `inArray` has a parameter for each, of which a statement takes 65,535. */
const isAmong = (column: PgColumn, values: readonly string[]): SQL => sql`${column} = any(${sql.param(values)})`;

/** Of an id that was made for a proof: a UUID. That of a cookie is shorter. */
export const PROOF_ID_LENGTH = 36;

/** Condition of `session_cookies`: the others are ids of proofs. */
export const isOfCookie = sql`length(${sessionCookies.sid}) < ${PROOF_ID_LENGTH}`;

/** When a session got its newest cookie, by a sign-in or a renewal: checks, which anyone with a copy of a cookie can make, do not count. */
export const lastCookieAt = sql`coalesce(${sessions.renewedAt}, ${sessions.openedAt})`;

/** @returns null when there are too many */
async function listSids(tx: Tx, ids: string[]): Promise<string[] | null> {
  const cookies = await tx
    .select({ sid: sessionCookies.sid })
    .from(sessionCookies)
    .where(and(isAmong(sessionCookies.sessionId, ids), isOfCookie))
    .limit(MAX_TOLD_COOKIES + 1);
  return cookies.length > MAX_TOLD_COOKIES ? null : cookies.map(({ sid }) => sid).sort();
}

/** Rows of a statement, which have parameters of their own. */
const MAX_INSERTED = 1_000;

/**
 * Ends what clients have of these sessions, and has them told. `everywhere`: of all that the account ever had, since a client can have kept its
 * own session alive beyond one that has expired.
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
  const now = sql`now()`;
  wakeAfterCommit();
  for (let from = 0; from < clients.length; from += MAX_INSERTED) {
    const rows = clients.slice(from, from + MAX_INSERTED);
    await tx
      .insert(oidcLogouts)
      .values(rows.map((client) => ({ ...client, id: sql`gen_random_uuid()`, sub: uid, createdAt: now, dueAt: now })));
  }
}

/** The same for an account whose records are deleted. */
export async function announceDeletedSessions(tx: Tx, uid: string): Promise<void> {
  const live = await listLive(tx, uid);
  await announceSessionEnds(tx, live, { uid, everywhere: true, reason: 'deleted' });
}

/** The live sessions of an account, which no other transaction ends meanwhile. */
async function listLive(tx: Tx, uid: string): Promise<string[]> {
  const isLive = and(eq(sessions.uid, uid), isNull(sessions.endedAt), gt(sessions.expiresAt, sql`now()`));
  // Bounded: one account's, of which none may be left out.
  const live = await tx.select({ id: sessions.id }).from(sessions).where(isLive).for('update');
  return live.map(({ id }) => id);
}

/**
 * The same for sessions that are of no use any more although their record goes on, and come back when what is refused is allowed again. For use
 * within `writeAboutKnownAccount`.
 */
export async function announceUnusableSessions(
  tx: Tx,
  uid: string,
  ids: readonly string[],
  reason: 'not-allowed' | 'other-account',
): Promise<void> {
  for (const id of ids) {
    // One that has come back since has another cookie, which receivers have not been told of.
    const since = sql<string>`extract(epoch from ${lastCookieAt})::text`;
    const [session] = await tx.select({ since }).from(sessions).where(eq(sessions.id, id)).limit(1);
    const once = `${id}/${reason}/${session?.since ?? ''}`;
    await announceSessionEnds(tx, [id], { uid, everywhere: false, reason, once });
  }
}

/** The same for all sessions of an account that is found to be disabled, which receivers are told as well. For use as the one above. */
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

/** When receivers were told that an account is disabled; null: they were not, or it was found to be enabled since. */
export async function readDisabledToldAt(records: Records, uid: string): Promise<Date | null> {
  const ofAccount = eq(accounts.uid, uid);
  const [found] = await records.query((tx) =>
    tx.select({ at: accounts.disabledToldAt }).from(accounts).where(ofAccount),
  );
  return found?.at ?? null;
}

/** Has receivers told again when an account is disabled once more. @param toldAt of what they were told before it was found to be enabled */
export async function forgetDisabledTold(records: Records, uid: string, toldAt: Date): Promise<void> {
  const isThis = and(eq(accounts.uid, uid), eq(accounts.disabledToldAt, toldAt));
  await records.query((tx) => tx.update(accounts).set({ disabledToldAt: null }).where(isThis));
}
