import type { Adapter, AdapterPayload } from 'oidc-provider';
import { randomUUID } from 'node:crypto';
import { isApiProblem } from '@/lib/shared/problem';
import { consumeLimit } from '@/lib/server/storage';
import { toLogin } from './claims';
import { findClient, readSecret, type Client } from './clients';
import { getGrantId, getOidcRequest, getSid } from './context';
import type { Library } from './library';
import type { OidcRoute } from './routes';
import {
  consumeArtifact,
  deleteArtifact,
  deleteArtifactsOfGrant,
  findArtifact,
  findSessionWithClients,
  insertClientSession,
  storeArtifact,
} from './rows';

const RETRY_AFTER_SECONDS = 5;
/** Of what the library stores without an end: nothing that is configured here. */
const DEFAULT_TTL_SECONDS = 3_600;

/** Where the library keeps a model: clients in their file, the session in our own, all else in the database. */
export function createAdapter(model: string, library: Library): Adapter {
  const guard = <T>(work: () => Promise<T>) => toLibraryErrors(library, work);
  const common: Adapter = {
    upsert: (id, payload, ttl = DEFAULT_TTL_SECONDS) =>
      guard(() => storeArtifact(model, id, { payload, ttl, sessionId: getSessionId(payload) })),
    find: (id) => guard(async () => (await findArtifact(model, id)) ?? undefined),
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

/** Of a token: its session's. A grant has none, and is made in a request with a session. */
function getSessionId({ kind, sessionUid }: AdapterPayload): string | null {
  if (kind === 'Interaction') return null;
  return sessionUid ?? getOidcRequest().session?.id ?? null;
}

/** The session of this request, whatever the id: the browser's cookie is ours. */
function readOwnSession(id: string): AdapterPayload | undefined {
  const { session, route } = getOidcRequest();
  if (session !== null)
    return {
      ...toPayload(session.id, session.clients),
      ...toLogin(session),
      jti: id,
      exp: toSeconds(session.expiresAt),
    };
  // A logout without a session: the library has no page for that, and our own says what there is to say.
  const exp = toSeconds(new Date()) + DEFAULT_TTL_SECONDS;
  return route === 'end_session' ? { kind: 'Session', jti: id, uid: id, accountId: 'none', exp } : undefined;
}

/** The session that a code or token came from. */
async function readSession(id: string): Promise<AdapterPayload | undefined> {
  const found = await findSessionWithClients(id);
  if (!found) return undefined;
  const { uid: accountId, clients, expiresIn } = found;
  return { ...toPayload(id, clients), accountId, jti: id, exp: toSeconds(new Date()) + expiresIn };
}

/** A session with what its clients know it by, as the library has it. */
function toPayload(id: string, clients: readonly string[]) {
  const authorizations = Object.fromEntries(
    clients.map((client) => [client, { sid: getSid(id, client), grantId: getGrantId(id, client) }]),
  );
  return { kind: 'Session', uid: id, authorizations };
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** New clients of the session. All else about it is in our own record. */
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
    // A learning platform is one address, however many learners it signs in.
    await consumeLimit('oidc-token', `${id}@${address}`);
  }
  return toMetadata(id, client, AUTHENTICATED.includes(route) ? await readSecret(client) : UNUSED_SECRET);
}

/** Routes where clients show their secret. Elsewhere the library asks for one, and looks at none. */
const AUTHENTICATED: readonly OidcRoute[] = ['token', 'revocation'];
const UNUSED_SECRET = randomUUID();

/** The client in the words of OpenID Connect Dynamic Client Registration 1.0, section 2. */
function toMetadata(id: string, client: Client, secret: string | undefined): AdapterPayload {
  return {
    client_id: id,
    client_name: client.name,
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
    // How long ago its user has signed in, is always told.
    require_auth_time: true,
    pkce: client.pkce,
  };
}

/** The library answers `server_error` to whatever it does not know: an outage of the database is none. */
async function toLibraryErrors<T>({ errors }: Library, work: () => Promise<T>): Promise<T> {
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
