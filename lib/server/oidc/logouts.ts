import { and, count, eq, isNull, lt, lte, sql } from 'drizzle-orm';
import { generateKeyPair, importJWK, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { describeFailure, failAttempt, isAccepted, postOnce, WebhookError } from '@/lib/server/notifications';
import { countNotice, env, log } from '@/lib/server/runtime';
import {
  afterSeconds,
  claimNext,
  drainByTarget,
  oidcClientSessions,
  oidcLogouts,
  sessions,
  type Records,
} from '@/lib/server/storage';
import { getSubject } from './claims';
import { findClient, getClientsFile, isRemovedClient, type Client } from './clients';
import { findSigningKey, readKeys, type Algorithm } from './keys';
import { getIssuer } from './provider';

const TOKEN_TTL_SECONDS = 120;
/** Sent to a client at the same time by a process. */
const SENDERS = 4;
/** Until the logouts of a client that is not in the file are dropped: another process may have a newer file, and a mistake is corrected. */
const REMOVED_SECONDS = 3_600;
/** One that was not accepted for so long waits for a client that refuses it: those of removed ones are gone. */
const LATE_SECONDS = REMOVED_SECONDS + 300;
/** Attempts at a client that answers 404, over six minutes: Canvas does so without a session of it, others while they start or at a wrong address. */
const NOT_FOUND_ATTEMPTS = 4;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

type Logout = Pick<typeof oidcLogouts.$inferSelect, 'id' | 'sub' | 'clientId' | 'sid' | 'attempts' | 'createdAt'>;

const isDue = and(isNull(oidcLogouts.failedAt), lte(oidcLogouts.dueAt, sql`now()`));

/**
 * Sends all logout tokens that are due, each at least once (OpenID Connect Back-Channel Logout 1.0): again after a failure, for three days. Each
 * client has senders of its own: one that hangs delays no other, and is left alone until the next round.
 * @throws RecordsError: what was just sent is then sent again
 */
export async function sendDueLogouts(records: Records): Promise<void> {
  // Bounded: a row for each client that was configured.
  const due = await records.query((tx) =>
    tx.selectDistinct({ id: oidcLogouts.clientId }).from(oidcLogouts).where(isDue),
  );
  const clients: string[] = [];
  for (const { id } of due) {
    if (await isRemovedClient(id)) await dropOfRemoved(records, id);
    else clients.push(id);
  }
  await drainByTarget(records, 'logouts', clients, {
    claim: (clientId) => claim(records, clientId),
    send: (logout) => attempt(records, logout),
    lanes: SENDERS,
  });
}

/** How many wait for a client that refuses them. */
export function countLateLogouts(records: Records): Promise<number> {
  return records.query(async (tx) => {
    const isLate = and(isNull(oidcLogouts.failedAt), lt(oidcLogouts.createdAt, afterSeconds(-LATE_SECONDS)));
    const [row] = await tx.select({ late: count() }).from(oidcLogouts).where(isLate);
    return row?.late ?? 0;
  });
}

/** Drops what waits for a removed client, once the oldest has waited for long enough: one line in the log for all of them. */
async function dropOfRemoved(records: Records, clientId: string): Promise<void> {
  const ofClient = and(isNull(oidcLogouts.failedAt), eq(oidcLogouts.clientId, clientId));
  const oldest = sql`(select min(${oidcLogouts.createdAt}) from ${oidcLogouts} where ${ofClient})`;
  const isOver = sql`${oldest} < ${afterSeconds(-REMOVED_SECONDS)}`;
  const dropped = await records.query((tx) =>
    tx.delete(oidcLogouts).where(and(ofClient, isOver)).returning({ id: oidcLogouts.id }),
  );
  const entry = { client: clientId, count: dropped.length };
  if (dropped.length > 0) log().warn(entry, 'logouts are dropped: their client is no longer configured');
}

/** Takes the one of a client that has been due for longest, for this process alone. */
function claim(records: Records, clientId: string): Promise<Logout | null> {
  return records.query(async (tx) => {
    const claimed = await claimNext(tx, oidcLogouts, and(isDue, eq(oidcLogouts.clientId, clientId)));
    return claimed && claimed.row;
  });
}

/** @returns whether its client is away */
async function attempt(records: Records, logout: Logout): Promise<boolean> {
  const client = await findClient(logout.clientId);
  // It has not asked to be told.
  if (client !== null && client.backchannelLogoutUri === undefined) {
    await settle(records, logout);
    return false;
  }
  try {
    // It is not enabled, or its entry is wrong: tried again.
    if (client?.backchannelLogoutUri === undefined) throw new WebhookError('NOT_CONFIGURED', true);
    await send(records, logout, { client, address: client.backchannelLogoutUri });
  } catch (error) {
    // A kind of error or a status, never a message.
    const { code } = describeFailure(error);
    const isGivenUp = await failAttempt(records, oidcLogouts, logout, { code, isPermanent: false });
    countNotice('logout', isGivenUp ? 'failed' : 'retried');
    const entry = { client: logout.clientId, attempts: logout.attempts, reason: code };
    if (isGivenUp) log().error(entry, 'a client was not told of a logout');
    else log().warn(entry, 'a client could not be told of a logout');
    return error instanceof WebhookError && error.isAway;
  }
  countNotice('logout', 'sent');
  await settle(records, logout);
  return false;
}

/** @throws WebhookError when it was not received */
async function send(
  records: Records,
  logout: Logout,
  { client, address }: { client: Client; address: string },
): Promise<void> {
  const status = await postToken(address, await buildLogoutToken(records, logout, client));
  if (isAccepted(status)) return;
  if (status !== 404 || logout.attempts < NOT_FOUND_ATTEMPTS) throw new WebhookError(`HTTP ${String(status)}`);
  log().warn({ client: logout.clientId }, 'a client has answered a logout with 404 and is not told again');
}

/**
 * Sends a logout token about a session that does not exist, of a user that does not exist: it ends nothing.
 * @param isForged another key signs it, under the name of ours: a receiver that verifies signatures refuses it
 * @returns the status of the answer
 * @throws WebhookError without one; `NO_KEY`
 */
export async function sendTestLogout(clientId: string, isForged: boolean): Promise<number> {
  const client = await findClient(clientId);
  if (client?.backchannelLogoutUri === undefined) throw new WebhookError('NOT_CONFIGURED', true);
  const { algorithm, backchannelLogoutUri: address } = client;
  const own = await getSigningKey(algorithm);
  const key = isForged ? (await generateKeyPair(algorithm)).privateKey : await importJWK(own, algorithm);
  const token = new SignJWT({ events: { [EVENT]: {} }, sid: randomUUID() }).setSubject(`test-${randomUUID()}`);
  const signed = await finishToken(token, { algorithm, kid: own.kid, clientId, jti: randomUUID() }).sign(key);
  return postToken(address, signed);
}

/** Clients that take logout tokens, by their ids. */
export async function listLogoutClients(): Promise<string[]> {
  const { OIDC_CLIENTS_FILE: path } = env();
  const clients = [...((path === undefined ? null : await getClientsFile(path).read()) ?? [])];
  return clients.flatMap(([id, { enabled, backchannelLogoutUri: address }]) => (enabled && address ? [id] : []));
}

/** What every logout token has. @param issuedAt the present by default */
function finishToken(
  token: SignJWT,
  { algorithm, kid, clientId, jti }: { algorithm: Algorithm; kid: string; clientId: string; jti: string },
  issuedAt = new Date(),
): SignJWT {
  return token
    .setProtectedHeader({ alg: algorithm, kid, typ: 'logout+jwt' })
    .setIssuer(getIssuer())
    .setAudience(clientId)
    .setJti(jti)
    .setIssuedAt(issuedAt)
    .setExpirationTime(Math.floor(Date.now() / 1000) + TOKEN_TTL_SECONDS);
}

function postToken(address: string, token: string): Promise<number> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  return postOnce(address, headers, new URLSearchParams({ logout_token: token }).toString());
}

/** The signed token of section 2.4. Without `sid`, it is about all sessions of the user that began until `iat`. */
async function buildLogoutToken(records: Records, logout: Logout, client: Client): Promise<string> {
  const { id, sub, clientId, sid, createdAt } = logout;
  const { algorithm } = client;
  const key = await getSigningKey(algorithm);
  const isLate = await hasSignedInSince(records, logout);
  const token = new SignJWT({ events: { [EVENT]: {} }, ...(sid !== null && { sid }) });
  token.setSubject(getSubject(sub, clientId, client.subjectType));
  const names = { algorithm, kid: key.kid, clientId, jti: id };
  return finishToken(token, names, isLate ? createdAt : undefined).sign(await importJWK(key, algorithm));
}

/**
 * Whether its user has signed in at the client since, where the token is about all sessions: with the present as its time, it would end that
 * one, too. Its own time is not used always, because some clients refuse what was issued minutes ago.
 */
async function hasSignedInSince(records: Records, { sub, clientId, sid }: Logout): Promise<boolean> {
  if (sid !== null) return false;
  // The logout itself has removed those before it.
  const isSince = and(eq(sessions.uid, sub), eq(oidcClientSessions.clientId, clientId));
  const since = await records.query((tx) =>
    tx
      .select({ id: sessions.id })
      .from(oidcClientSessions)
      .innerJoin(sessions, eq(sessions.id, oidcClientSessions.sessionId))
      .where(isSince)
      .limit(1),
  );
  return since.length > 0;
}

async function getSigningKey(algorithm: Algorithm) {
  const keys = await readKeys();
  const key = keys && findSigningKey(keys, algorithm);
  if (!key) throw new Error('NO_KEY');
  return key;
}

async function settle(records: Records, { id }: Logout): Promise<void> {
  await records.query((tx) => tx.delete(oidcLogouts).where(eq(oidcLogouts.id, id)));
}
