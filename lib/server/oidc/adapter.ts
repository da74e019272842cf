import { and, desc, eq, gt, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { randomUUID } from 'node:crypto';
import { digest } from '@/lib/server/runtime';
import {
  consumeLimit,
  oidcArtifacts,
  oidcClientSessions,
  queryInTime,
  scheduleOnRecords,
  sessions,
  type Records,
} from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem } from '@/lib/shared/problem';
import { toLogin } from './claims';
import { findClient, readSecret, type Client } from './clients';
import {
  findAccountOnce,
  getGrantId,
  getOidcRequest,
  getSid,
  type Library,
  type OidcRequest,
  type OidcRoute,
} from './context';

const RETRY_AFTER_SECONDS = 5;
/** How long a begun sign-in is stored. It fits a registration with its emailed code. */
export const INTERACTION_SECONDS = 3_600;
/** Lifetime of artifacts that the library stores without an expiry. Nothing that is configured here uses it. */
const DEFAULT_TTL_SECONDS = 3_600;

/**
 * Creates the library's storage of a model: clients from their file, the session from our own session, and others in
 * the database.
 */
export function createAdapter(model: string, library: Library): Adapter {
  const guard = <T>(work: () => Promise<T>) => toLibraryErrors(library, work);
  const common: Adapter = {
    upsert: (id, payload, ttl = DEFAULT_TTL_SECONDS) => {
      // Drop the previous session, because the user may come back with another account. This browser's cookie
      // authorizes the interaction.
      if (model === 'Interaction') delete payload.session;
      return guard(() => storeArtifact(model, id, { payload, ttl, sessionId: getSessionId(payload) }));
    },
    find: (id) =>
      guard(async () => {
        const { signIn = null, ...payload } = (await findArtifact(model, id)) ?? {};
        if (signIn !== null) getOidcRequest().signIn = signIn as OidcRequest['signIn'];
        if (!('kind' in payload)) return undefined;
        const { sessionUid, consumed } = payload as { sessionUid?: string; consumed?: number };
        // Find the account before the code is used up, so that a code survives an outage of the identity provider.
        if (model === 'AuthorizationCode' && sessionUid !== undefined && !consumed) await findAccountOnce(sessionUid);
        return payload;
      }),
    consume: (id) =>
      guard(async () => {
        if (!(await consumeArtifact(model, id))) throw new library.errors.InvalidGrant('it was used before');
      }),
    destroy: (id) => guard(() => deleteArtifact(model, id)),
    revokeByGrantId: (id) => guard(() => deleteArtifactsOfGrant(model, id)),
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
  };
  if (model === 'Client') return { ...common, find: (id) => guard(() => findClientMetadata(id)) };
  if (model === 'Session')
    return {
      ...common,
      upsert: (_id, payload) => guard(() => storeClients(payload)),
      find: (id) => Promise.resolve(readOwnSession(id)),
      findByUid: (uid) => guard(() => readSession(uid)),
      destroy: () => Promise.resolve(),
    };
  return common;
}

/** Returns the session of a token. A grant has none of its own, and is created in a request with a session. */
function getSessionId({ kind, sessionUid }: AdapterPayload): string | null {
  if (kind === 'Interaction') return null;
  return sessionUid ?? getOidcRequest().session?.id ?? null;
}

/** Returns the session of this request, whatever the id, because the browser has our own cookie. */
function readOwnSession(id: string): AdapterPayload | undefined {
  const { session, route } = getOidcRequest();
  if (session !== null)
    return {
      ...toPayload(session.id, session.clients),
      ...toLogin(session),
      jti: id,
      exp: toSeconds(session.expiresAt),
    };
  // A logout without a session. The library has no page for it, so our own page handles it.
  const exp = toSeconds(new Date()) + DEFAULT_TTL_SECONDS;
  return route === 'end_session' ? { kind: 'Session', jti: id, uid: id, accountId: 'none', exp } : undefined;
}

/** Reads the session that a code or token came from. */
async function readSession(id: string): Promise<AdapterPayload | undefined> {
  const found = await findSessionWithClients(id);
  if (!found) return undefined;
  const { uid: accountId, clients, expiresIn } = found;
  return { ...toPayload(id, clients), accountId, jti: id, exp: toSeconds(new Date()) + expiresIn };
}

/** Converts a session, with its ids for clients, to the library's form. */
function toPayload(id: string, clients: readonly string[]) {
  const authorizations = Object.fromEntries(
    clients.map((client) => [client, { sid: getSid(id, client), grantId: getGrantId(id, client) }]),
  );
  return { kind: 'Session', uid: id, authorizations };
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** Stores new clients of the session. Our own record has everything else. */
async function storeClients({ uid, authorizations = {} }: AdapterPayload): Promise<void> {
  const { session } = getOidcRequest();
  if (session === null || session.id !== uid) return;
  for (const clientId of Object.keys(authorizations))
    if (!session.clients.includes(clientId)) await insertClientSession(uid, clientId);
}

async function findClientMetadata(id: string): Promise<AdapterPayload | undefined> {
  const client = await findClient(id);
  if (!client) return undefined;
  const { route, address, counted } = getOidcRequest();
  if (route === 'token' && !counted.has(id)) {
    counted.add(id);
    // A learning platform has a single address for all its learners.
    await consumeLimit('oidc-token', `${id}@${address}`);
  }
  return toMetadata(id, client, AUTHENTICATED.includes(route) ? await readSecret(client) : UNUSED_SECRET);
}

/** Routes where clients authenticate. On other routes, the library requires a secret but never reads it. */
export const AUTHENTICATED: readonly OidcRoute[] = ['token', 'revocation'];
const UNUSED_SECRET = randomUUID();

/** Converts a client to the metadata of OpenID Connect Dynamic Client Registration 1.0, section 2. */
function toMetadata(id: string, client: Client, secret: string | undefined): AdapterPayload {
  return {
    client_id: id,
    client_name: client.name,
    application_type: client.native ? 'native' : 'web',
    ...(client.authentication !== 'none' && { client_secret: secret }),
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    ...(client.backchannelLogoutUri !== undefined && {
      backchannel_logout_uri: client.backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
    token_endpoint_auth_method: client.authentication,
    subject_type: client.subjectType,
    id_token_signed_response_alg: client.algorithm,
    grant_types: ['authorization_code', ...(client.refreshTokens ? ['refresh_token'] : [])],
    response_types: ['code'],
    // Always include when the user authenticated.
    require_auth_time: true,
    pkce: client.pkce,
    reauthenticate: client.reauthenticate,
  };
}

/** Records our problem, because the library would respond to it with `server_error`, even for an outage. */
export async function toLibraryErrors<T>({ errors }: Library, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    const { res } = Object.assign(getOidcRequest(), { problem: error });
    res.setHeader('retry-after', String(error.options.retryAfter ?? RETRY_AFTER_SECONDS));
    const description = error.status === 429 ? 'too many requests' : 'try again later';
    const { status } = error;
    throw Object.assign(new errors.TemporarilyUnavailable(description), { status, statusCode: status, expose: true });
  }
}

/** Payload of an artifact, in the library's form. */
type Payload = Record<string, unknown>;

const isOwn = (model: string, id: string) =>
  and(eq(oidcArtifacts.model, model), eq(oidcArtifacts.idDigest, digest(id)));

/**
 * Stores an artifact, or a new version of it.
 * @param sessionId null for an interaction
 * @param ttl in seconds
 */
async function storeArtifact(
  model: string,
  id: string,
  { payload, ttl, sessionId }: { payload: Payload; ttl: number; sessionId: string | null },
): Promise<void> {
  // Tokens inherit the sign-in of their code or token. So they are valid as long as a session of that sign-in would be.
  const signIn = 'sessionUid' in payload ? getOidcRequest().signIn : null;
  const kept = { ...payload, ...(signIn && { signIn }) };
  // The id is the code or token itself. Replace it, so that the database contains nothing usable. No parameter of a
  // client can contain it.
  const stored: unknown = JSON.parse(JSON.stringify(kept).replaceAll(id, digest(id)));
  const grantId = typeof payload.grantId === 'string' && model !== 'Interaction' ? payload.grantId : null;
  if (model === 'Interaction') trimNowAndThen();
  const values = { payload: stored, sessionId, grantId, expiresAt: sql`now() + make_interval(secs => ${ttl})` };
  await queryInTime((tx) =>
    tx
      .insert(oidcArtifacts)
      .values({ model, idDigest: digest(id), ...values })
      .onConflictDoUpdate({ target: [oidcArtifacts.model, oidcArtifacts.idDigest], set: values }),
  );
}

/** @returns null if it is unknown or has expired */
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
  return row.consumedAt === null ? payload : { ...payload, consumed: toSeconds(row.consumedAt) };
}

/**
 * The codes and tokens that a call of a route must present, by the parameter of its form or its header, with their
 * models here.
 */
const PRESENTED: Partial<Record<OidcRoute, Partial<Record<string, readonly string[]>>>> = {
  userinfo: { bearer: ['AccessToken'] },
  token: { code: ['AuthorizationCode'], refresh_token: ['RefreshToken'] },
  revocation: { token: ['AccessToken', 'RefreshToken'] },
};

/**
 * Counts a call that presents no genuine code or token, before the library's work. That takes several milliseconds, and
 * the lookup a fraction of one. A call with a genuine token is not counted, whatever others at its address do.
 * @param form the parameters of the form, which are read only if they count
 * @throws ApiProblem `too-many-requests`
 */
export async function countUnknownToken(
  { method, headers }: Pick<OidcRequest['req'], 'method' | 'headers'>,
  { route, address, form }: { route: OidcRoute; address: string; form: () => Promise<URLSearchParams> },
): Promise<void> {
  const presented = PRESENTED[route];
  // A browser's preflight has no token.
  if (presented === undefined || method === 'OPTIONS') return;
  const [, bearer] = /^bearer +(.*)$/i.exec(headers.authorization ?? '') ?? [];
  const parameters = presented.bearer ? new URLSearchParams(bearer && { bearer }) : await form();
  for (const [name, models = []] of Object.entries(presented)) {
    const value = parameters.get(name) ?? '';
    if (!/^[\w-]{16,128}$/.test(value)) continue;
    for (const model of models) if (await mayBeKnown(model, value)) return;
  }
  await consumeLimit('oidc-unknown-token', address);
}

/**
 * Whether a token may be known. True if the database is unavailable, so that the library responds with an OAuth error.
 */
async function mayBeKnown(model: string, value: string): Promise<boolean> {
  try {
    return (await findArtifact(model, value)) !== null;
  } catch (error) {
    if (isApiProblem(error) && error.status === 503) return true;
    throw error;
  }
}

/** Uses an artifact once across concurrent requests. @returns whether this request has used it */
async function consumeArtifact(model: string, id: string): Promise<boolean> {
  const used = await queryInTime((tx) =>
    tx
      .update(oidcArtifacts)
      .set({ consumedAt: sql`now()` })
      .where(and(isOwn(model, id), isNull(oidcArtifacts.consumedAt)))
      .returning({ model: oidcArtifacts.model }),
  );
  return used.length > 0;
}

async function deleteArtifact(model: string, id: string): Promise<void> {
  await queryInTime((tx) => tx.delete(oidcArtifacts).where(isOwn(model, id)));
}

async function deleteArtifactsOfGrant(model: string, grantId: string): Promise<void> {
  const isOfGrant = and(eq(oidcArtifacts.model, model), eq(oidcArtifacts.grantId, grantId));
  await queryInTime((tx) => tx.delete(oidcArtifacts).where(isOfGrant));
}

/** Rows per transaction, which must end within the statement timeout. */
const BATCH = 5_000;

/** Maximum begun sign-ins of all visitors together, because anyone can begin a sign-in from any number of networks. */
const MAX_INTERACTIONS = 100_000;
/** Sign-ins that a process begins between two checks of their number. */
const BEGUN_BETWEEN = 500;
let begun = 0;

/**
 * Deletes the oldest begun sign-ins beyond `MAX_INTERACTIONS`, so that a flood does not fill the disk. A learner whose
 * sign-in is deleted starts again. That takes as large a flood within the time of a single sign-in.
 * @param max for tests
 */
export async function trimInteractions(max = MAX_INTERACTIONS): Promise<void> {
  const isInteraction = eq(oidcArtifacts.model, 'Interaction');
  // Grants and refresh tokens expire later, so they are not read.
  const isOfThisHour = lte(oidcArtifacts.expiresAt, sql`now() + make_interval(secs => ${INTERACTION_SECONDS})`);
  await queryInTime((tx) => {
    const newest = tx
      .select({ expiresAt: oidcArtifacts.expiresAt })
      .from(oidcArtifacts)
      .where(and(isInteraction, isOfThisHour))
      .orderBy(desc(oidcArtifacts.expiresAt))
      .offset(max)
      .limit(1);
    return tx.delete(oidcArtifacts).where(and(isInteraction, sql`${oidcArtifacts.expiresAt} <= ${newest}`));
  });
}

function trimNowAndThen(): void {
  begun += 1;
  if (begun % BEGUN_BETWEEN !== 0) return;
  trimInteractions().catch((error: unknown) => {
    if (!isApiProblem(error)) reportError(error, { during: 'deleting begun sign-ins' });
  });
}

const CLEANUP_MS = 10 * 60 * 1000;

/**
 * Deletes expired codes, tokens and interactions every ten minutes, because anyone can begin a sign-in, which leaves a
 * row.
 */
export function scheduleOidcCleanup(): void {
  const deleteAll = async (records: Records) => {
    while ((await deleteExpiredArtifacts(records)) > 0);
  };
  scheduleOnRecords(deleteAll, CLEANUP_MS, 'deleting expired OpenID Connect artifacts');
}

/** @returns the number of deleted rows */
async function deleteExpiredArtifacts(records: Records): Promise<number> {
  const deleted = await records.query((tx) => {
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

/** Finds a session with its clients. @returns null if it has ended */
async function findSessionWithClients(sessionId: string): Promise<SessionRow | null> {
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

/** Records that a client has signed its user in by a session, so that the client is notified when the session ends. */
async function insertClientSession(sessionId: string, clientId: string): Promise<void> {
  await queryInTime((tx) =>
    tx
      .insert(oidcClientSessions)
      .values({ sessionId, clientId, sid: getSid(sessionId, clientId), signedInAt: sql`now()` })
      .onConflictDoNothing(),
  );
}
