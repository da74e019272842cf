import { and, eq, lt } from 'drizzle-orm';
import { generateKeyPair, importJWK, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { describeFailure, isAccepted, postOnce, WebhookError } from '@/lib/server/notifications';
import { countNotice, log } from '@/lib/server/runtime';
import {
  afterSeconds,
  dropWaiting,
  GIVE_UP_AFTER_SECONDS,
  type Job,
  type JobHandler,
  jobs,
  LOGOUT_KIND,
  oidcClientSessions,
  sessions,
  type Records,
} from '@/lib/server/storage';
import { getSubject } from './claims';
import { findClient, isRemovedClient, listClientIds, type Client } from './clients';
import { findSigningKey, readKeys, type Algorithm } from './keys';
import { getIssuer } from './provider';

const TOKEN_TTL_SECONDS = 120;
/**
 * How long logouts of a removed client are kept. Another process may have a newer file, or the removal may be a
 * mistake.
 */
const REMOVED_SECONDS = 3_600;
/** A logout that is older waits for a client that refuses it, because logouts of removed clients are dropped before. */
const LATE_SECONDS = REMOVED_SECONDS + 300;
/**
 * Number of attempts, over six minutes, at a client that responds with 404. Canvas returns it for an unknown session.
 * Other clients return it during startup or at a wrong address.
 */
const NOT_FOUND_ATTEMPTS = 4;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

type Logout = Pick<Job, 'id' | 'receiver' | 'payload' | 'attempts' | 'createdAt'> & { uid: string };

const isLogout = eq(jobs.kind, LOGOUT_KIND);

/**
 * Sends logout tokens, each at least once (OpenID Connect Back-Channel Logout 1.0). They are retried for three days.
 * Each client has its own lanes.
 */
export const logoutJobs: JobHandler = {
  isOwn: isLogout,
  isWaiting: and(isLogout, lt(jobs.createdAt, afterSeconds(-LATE_SECONDS))),
  byReceiver: 'logouts',
  giveUpAfterSeconds: GIVE_UP_AFTER_SECONDS,
  kept: 'failed',
  isSkipped: async (records, clientId) => {
    if (clientId === null || !(await isRemovedClient(clientId))) return false;
    await dropOfRemoved(records, clientId);
    return true;
  },
  work: notifyClient,
  judge: (error) => ({
    code: describeFailure(error).code,
    isPermanent: false,
    isAway: error instanceof WebhookError && error.isAway,
  }),
  report: (job, failure) => {
    countNotice('logout', failure === null ? 'sent' : failure.isGivenUp ? 'failed' : 'retried');
    if (failure === null) return;
    const entry = { client: job.receiver, attempts: job.attempts, reason: failure.code };
    if (failure.isGivenUp) log().error(entry, 'a client was not told of a logout');
    else log().warn(entry, 'a client could not be told of a logout');
  },
};

/**
 * Drops the waiting logouts of a removed client once the oldest has waited long enough. It logs one line for all of
 * them.
 */
async function dropOfRemoved(records: Records, clientId: string): Promise<void> {
  const which = { isOwn: isLogout, receiver: clientId, afterSeconds: REMOVED_SECONDS };
  const entry = { client: clientId, count: await dropWaiting(records, which) };
  if (entry.count > 0) log().warn(entry, 'logouts are dropped: their client is no longer configured');
}

/** @throws WebhookError if the client did not accept it */
async function notifyClient({ uid, ...job }: Job, records: Records): Promise<void> {
  const client = await findClient(job.receiver ?? '');
  // This client does not request logout tokens.
  if (client !== null && client.backchannelLogoutUri === undefined) return;
  // The client is not enabled or its entry is wrong, so the job is retried.
  if (client?.backchannelLogoutUri === undefined || uid === null) throw new WebhookError('NOT_CONFIGURED', true);
  await send(records, { ...job, uid }, { client, address: client.backchannelLogoutUri });
}

/** @throws WebhookError if the client did not accept it */
async function send(
  records: Records,
  logout: Logout,
  { client, address }: { client: Client; address: string },
): Promise<void> {
  const status = await postToken(address, await buildLogoutToken(records, logout, client));
  if (isAccepted(status)) return;
  if (status !== 404 || logout.attempts < NOT_FOUND_ATTEMPTS) throw new WebhookError(`HTTP ${String(status)}`);
  log().warn({ client: logout.receiver }, 'a client has answered a logout with 404 and is not told again');
}

/**
 * Sends a logout token about a nonexistent session of a nonexistent user, so it ends nothing.
 * @param isForged whether another key signs it under our key's id; a receiver that verifies signatures refuses it
 * @returns the status of the response
 * @throws WebhookError without a response; `NO_KEY`
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

/** Lists the ids of clients that accept logout tokens. */
export function listLogoutClients(): Promise<string[]> {
  return listClientIds(({ backchannelLogoutUri: address }) => Boolean(address));
}

/** Sets the parts that every logout token has. @param issuedAt the current time by default */
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

/**
 * Builds and signs the logout token (section 2.4). Without `sid`, it is about all of the user's sessions that began
 * until `iat`.
 */
async function buildLogoutToken(records: Records, logout: Logout, client: Client): Promise<string> {
  const { id, uid, receiver, payload: sid, createdAt } = logout;
  const { algorithm } = client;
  const clientId = receiver ?? '';
  const key = await getSigningKey(algorithm);
  const isLate = await hasSignedInSince(records, logout);
  const token = new SignJWT({ events: { [EVENT]: {} }, ...(sid !== null && { sid }) });
  token.setSubject(getSubject(uid, clientId, client.subjectType));
  const names = { algorithm, kid: key.kid, clientId, jti: id };
  return finishToken(token, names, isLate ? createdAt : undefined).sign(await importJWK(key, algorithm));
}

/**
 * Returns whether the user has signed in at the client since a logout of all sessions. A token with the current time
 * would end that new session, too. The logout's own time is not always used, because some clients refuse a token that
 * was issued minutes ago.
 */
async function hasSignedInSince(records: Records, { uid, receiver, payload: sid }: Logout): Promise<boolean> {
  if (sid !== null) return false;
  // The logout itself has removed earlier rows.
  const isSince = and(eq(sessions.uid, uid), eq(oidcClientSessions.clientId, receiver ?? ''));
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
