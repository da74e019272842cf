import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import { importJWK, SignJWT } from 'jose';
import { describeFailure, failAttempt, isAccepted, postOnce, WebhookError } from '@/lib/server/notifications';
import { countNotice, log } from '@/lib/server/runtime';
import { claimNext, drainByTarget, oidcLogouts, type Records } from '@/lib/server/storage';
import { getSubject } from './claims';
import { findClient, type Client } from './clients';
import { findSigningKey, readKeys, type Algorithm } from './keys';
import { getIssuer } from './provider';

const TOKEN_TTL_SECONDS = 120;
/** Sent to a client at the same time by a process. */
const SENDERS = 4;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

type Logout = Pick<typeof oidcLogouts.$inferSelect, 'id' | 'sub' | 'clientId' | 'sid' | 'attempts'>;

const isDue = and(isNull(oidcLogouts.failedAt), lte(oidcLogouts.dueAt, sql`now()`));

/**
 * Sends all logout tokens that are due, each at least once (OpenID Connect Back-Channel Logout 1.0): again after a failure, for three days. Each
 * client has senders of its own: one that hangs delays no other, and is left alone until the next round.
 * @throws RecordsError: what was just sent is then sent again
 */
export async function sendDueLogouts(records: Records): Promise<void> {
  // Bounded: a row for each client that was configured.
  const due = await records.transact((tx) =>
    tx.selectDistinct({ id: oidcLogouts.clientId }).from(oidcLogouts).where(isDue),
  );
  const clients = due.map(({ id }) => id);
  await drainByTarget(records, 'logouts', clients, {
    claim: (clientId) => claim(records, clientId),
    send: (logout) => attempt(records, logout),
    lanes: SENDERS,
  });
}

/** Takes the one of a client that has been due for longest, for this process alone. */
function claim(records: Records, clientId: string): Promise<Logout | null> {
  return records.transact(async (tx) => {
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
    // It was removed, is not enabled, or this process has not read the file that it is new in: tried again.
    if (client?.backchannelLogoutUri === undefined) throw new WebhookError('NOT_CONFIGURED', true);
    await send(logout, client, client.backchannelLogoutUri);
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
async function send(logout: Logout, client: Client, address: string): Promise<void> {
  const body = new URLSearchParams({ logout_token: await buildLogoutToken(logout, client) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  const status = await postOnce(address, headers, body.toString());
  // 404: Canvas has no session of it any more.
  if (!isAccepted(status) && status !== 404) throw new WebhookError(`HTTP ${String(status)}`);
}

/** The signed token of section 2.4. Without `sid`, it is about all sessions of the user. */
async function buildLogoutToken({ id, sub, clientId, sid }: Logout, client: Client): Promise<string> {
  const { algorithm } = client;
  const key = await getSigningKey(algorithm);
  return new SignJWT({ events: { [EVENT]: {} }, ...(sid !== null && { sid }) })
    .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: 'logout+jwt' })
    .setIssuer(getIssuer())
    .setAudience(clientId)
    .setSubject(getSubject(sub, clientId, client.subjectType))
    .setJti(id)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1000) + TOKEN_TTL_SECONDS)
    .sign(await importJWK(key, algorithm));
}

async function getSigningKey(algorithm: Algorithm) {
  const keys = await readKeys();
  const key = keys && findSigningKey(keys, algorithm);
  if (!key) throw new Error('NO_KEY');
  return key;
}

async function settle(records: Records, { id }: Logout): Promise<void> {
  await records.transact((tx) => tx.delete(oidcLogouts).where(eq(oidcLogouts.id, id)));
}
