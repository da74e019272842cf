import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import { digest } from '@/lib/server/runtime';
import {
  oidcArtifacts,
  oidcClientSessions,
  queryInTime,
  scheduleOnRecords,
  sessions,
  type Records,
} from '@/lib/server/storage';
import { getSid } from './context';

/** Payload of an artifact, as the library gives it. */
export type Payload = Record<string, unknown>;

const isOwn = (model: string, id: string) =>
  and(eq(oidcArtifacts.model, model), eq(oidcArtifacts.idDigest, digest(id)));

/**
 * Stores an artifact, or a new version of it.
 * @param sessionId null for an interaction
 * @param ttl in seconds
 */
export async function storeArtifact(
  model: string,
  id: string,
  { payload, ttl, sessionId }: { payload: Payload; ttl: number; sessionId: string | null },
): Promise<void> {
  // The id is the code or token itself: nothing in the database can be used. Its digest was unknown when a parameter was sent.
  const stored: unknown = JSON.parse(JSON.stringify(payload).replaceAll(id, digest(id)));
  const grantId = typeof payload.grantId === 'string' && model !== 'Interaction' ? payload.grantId : null;
  const values = { payload: stored, sessionId, grantId, expiresAt: sql`now() + make_interval(secs => ${ttl})` };
  await queryInTime((tx) =>
    tx
      .insert(oidcArtifacts)
      .values({ model, idDigest: digest(id), ...values })
      .onConflictDoUpdate({ target: [oidcArtifacts.model, oidcArtifacts.idDigest], set: values }),
  );
}

/** @returns null for one that is unknown or has expired */
export async function findArtifact(model: string, id: string): Promise<Payload | null> {
  const [row] = await queryInTime((tx) =>
    tx
      .select({ payload: oidcArtifacts.payload, consumedAt: oidcArtifacts.consumedAt })
      .from(oidcArtifacts)
      .where(and(isOwn(model, id), gt(oidcArtifacts.expiresAt, sql`now()`)))
      .limit(1),
  );
  if (!row) return null;
  const payload = JSON.parse(JSON.stringify(row.payload).replaceAll(digest(id), id)) as Payload;
  return row.consumedAt === null ? payload : { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) };
}

/** Of several requests at once, one uses it. @returns whether this is the one */
export async function consumeArtifact(model: string, id: string): Promise<boolean> {
  const used = await queryInTime((tx) =>
    tx
      .update(oidcArtifacts)
      .set({ consumedAt: sql`now()` })
      .where(and(isOwn(model, id), isNull(oidcArtifacts.consumedAt)))
      .returning({ model: oidcArtifacts.model }),
  );
  return used.length > 0;
}

export async function deleteArtifact(model: string, id: string): Promise<void> {
  await queryInTime((tx) => tx.delete(oidcArtifacts).where(isOwn(model, id)));
}

export async function deleteArtifactsOfGrant(model: string, grantId: string): Promise<void> {
  const isOfGrant = and(eq(oidcArtifacts.model, model), eq(oidcArtifacts.grantId, grantId));
  await queryInTime((tx) => tx.delete(oidcArtifacts).where(isOfGrant));
}

/** Rows of one transaction: it must end within the statement time-out. */
const BATCH = 5_000;

const CLEANUP_MS = 60 * 60 * 1000;

/** Deletes codes, tokens and interactions that have expired, each hour: anyone can begin a sign-in, which leaves a row. */
export function scheduleOidcCleanup(): void {
  const deleteAll = async (records: Records) => {
    while ((await deleteExpiredArtifacts(records)) > 0);
  };
  scheduleOnRecords(deleteAll, CLEANUP_MS, 'deleting expired OpenID Connect artifacts');
}

/** @returns how many */
async function deleteExpiredArtifacts(records: Records): Promise<number> {
  const deleted = await records.transact((tx) => {
    const key = sql`(${oidcArtifacts.model}, ${oidcArtifacts.idDigest})`;
    const expired = tx
      .select({ model: oidcArtifacts.model, idDigest: oidcArtifacts.idDigest })
      .from(oidcArtifacts)
      .where(lt(oidcArtifacts.expiresAt, sql`now()`))
      .limit(BATCH);
    return tx
      .delete(oidcArtifacts)
      .where(sql`${key} in ${expired}`)
      .returning({ model: oidcArtifacts.model });
  });
  return deleted.length;
}

type SessionRow = { uid: string; clients: string[]; expiresIn: number };

/** A session with its clients. @returns null when it has ended */
export async function findSessionWithClients(sessionId: string): Promise<SessionRow | null> {
  const rows = await queryInTime((tx) =>
    // Bounded: a row for each configured client.
    tx
      .select({
        uid: sessions.uid,
        clientId: oidcClientSessions.clientId,
        expiresIn: sql<number>`floor(extract(epoch from ${sessions.expiresAt} - now()))::int`,
      })
      .from(sessions)
      .leftJoin(oidcClientSessions, eq(oidcClientSessions.sessionId, sessions.id))
      .where(and(eq(sessions.id, sessionId), isNull(sessions.endedAt), gt(sessions.expiresAt, sql`now()`))),
  );
  const [first] = rows;
  if (!first) return null;
  const { uid, expiresIn } = first;
  return { uid, clients: rows.flatMap(({ clientId }) => clientId ?? []), expiresIn };
}

/** Records that a client has signed its user in by a session: it is told when that ends. */
export async function insertClientSession(sessionId: string, clientId: string): Promise<void> {
  await queryInTime((tx) =>
    tx
      .insert(oidcClientSessions)
      .values({ sessionId, clientId, sid: getSid(sessionId, clientId) })
      .onConflictDoNothing(),
  );
}
