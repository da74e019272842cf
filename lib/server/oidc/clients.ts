import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  openConfigFile,
  describeUnknownKeys,
  env,
  isLocalHost,
  type FileProblem,
  type ParsedFile,
  type ReloadingFile,
} from '@/lib/server/runtime';
import { CLAIMS } from './claims';
import { SIGNING_ALGORITHMS } from './keys';

const MIN_SECRET_LENGTH = 32;

/** Whether an address has its usual spelling, because addresses are compared as written. */
function isOneSpelling(value: string): boolean {
  const { username, password, hash, href } = new URL(value);
  const isUsual = href === value || href === `${value}/`;
  return isUsual && username === '' && password === '' && hash === '' && !value.includes('*');
}

/** Whether an address may receive codes and logout tokens. Only this machine may receive them unencrypted. */
function isWebAddress(value: string): boolean {
  if (!URL.canParse(value) || !isOneSpelling(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && isLocalHost(hostname));
}

/** A private-use scheme: a domain name in reverse order (RFC 8252, section 7.1). */
const PRIVATE_USE = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:\//;
const isAppAddress = (value: string) => PRIVATE_USE.test(value) && URL.canParse(value) && isOneSpelling(value);

const address = z
  .string()
  .refine(
    isWebAddress,
    'must be an https address in its usual spelling, without a user name and fragment; http only on localhost',
  );
/** Also allows a native app's address, which `checkNative` restricts. */
const clientAddress = z
  .string()
  .refine(
    (value) => isWebAddress(value) || isAppAddress(value),
    'must be an https address in its usual spelling, without a user name and fragment; http only on localhost; of a native app also com.example.app:/callback',
  );

/** Excludes controls and overrides of text direction. The joiners of Persian and Indian scripts are allowed. */
const NAME = /^[^\p{Cc}\u202a-\u202e\u2066-\u2069]+$/u;

/**
 * Checks a native client. An app on a user's device has no secret, and other apps there can claim its scheme. PKCE
 * protects the code.
 */
function checkNative(
  {
    native,
    authentication,
    redirectUris,
    postLogoutRedirectUris,
  }: { native: boolean; authentication: string; redirectUris: string[]; postLogoutRedirectUris: string[] },
  context: z.RefinementCtx,
): void {
  if (native && authentication !== 'none')
    context.addIssue({ code: 'custom', path: ['authentication'], message: 'must be none with native' });
  const addresses = [...redirectUris, ...postLogoutRedirectUris];
  if (!native && addresses.some((uri) => !isWebAddress(uri)))
    context.addIssue({ code: 'custom', path: ['redirectUris'], message: 'with a private-use scheme need native' });
  // No certificate authority certifies these names, so the library refuses the client.
  if (native && addresses.some((uri) => new URL(uri).protocol === 'https:' && isLocalHost(new URL(uri).hostname)))
    context.addIssue({ code: 'custom', path: ['redirectUris'], message: 'on this machine must be http with native' });
}

const clientSchema = z
  .object({
    /** Shown at sign-in. */
    name: z.string().min(1).max(60).regex(NAME, 'must have no control characters'),
    redirectUris: z.array(clientAddress).min(1).max(20),
    postLogoutRedirectUris: z.array(clientAddress).max(20).default([]),
    backchannelLogoutUri: address.optional(),
    /** The client's page that signs its user out, for a client without `backchannelLogoutUri`. */
    logoutUri: address.optional(),
    /** An app on the user's device (RFC 8252), with private-use schemes, or loopback addresses with any port. */
    native: z.boolean().default(false),
    authentication: z.enum(['client_secret_basic', 'client_secret_post', 'none']).default('client_secret_basic'),
    /** File with the secret, which orchestrators mount. */
    secretFile: z.string().optional(),
    subjectType: z.enum(['public', 'pairwise']).default('public'),
    algorithm: z.enum(SIGNING_ALGORITHMS).default('RS256'),
    /** Whether a request without PKCE is refused (RFC 7636). */
    pkce: z.boolean().default(true),
    refreshTokens: z.boolean().default(false),
    /** Whether each of its sign-ins requires a new authentication, as with `prompt=login`. */
    reauthenticate: z.boolean().default(false),
    claims: z.array(z.enum(CLAIMS)).default([...CLAIMS]),
    enabled: z.boolean().default(true),
  })
  .superRefine((client, context) => {
    checkNative(client, context);
    const isPublic = client.authentication === 'none';
    if (isPublic !== (client.secretFile === undefined))
      context.addIssue({ code: 'custom', path: ['secretFile'], message: isPublic ? 'has no use' : 'is required' });
    if (isPublic && !client.pkce)
      context.addIssue({ code: 'custom', path: ['pkce'], message: 'is required without a secret' });
    const hosts = new Set(client.redirectUris.map((uri) => new URL(uri).host));
    if (client.subjectType === 'pairwise' && hosts.size > 1)
      context.addIssue({ code: 'custom', path: ['redirectUris'], message: 'must be on one host with pairwise' });
  });
export type Client = z.output<typeof clientSchema>;
export type Clients = ReadonlyMap<string, Client>;

export const CLIENT_ID = /^[\w.-]{1,64}$/;
const fileSchema = z.object({ clients: z.record(z.string(), z.unknown()) });

/**
 * Reads the clients, and rereads them when the file changes. An invalid entry is reported and keeps its last valid
 * version.
 */
export function getClientsFile(path: string): ReloadingFile<Clients> {
  return openConfigFile('OIDC_CLIENTS_FILE', path, parseClients);
}

export function parseClients(content: unknown, before: Clients | null): ParsedFile<Clients> {
  const { success, data: file } = fileSchema.safeParse(content);
  if (!success) throw new Error('must be an object with clients');
  const problems = describeUnknownKeys(content, Object.keys(fileSchema.shape)).map((line): FileProblem => {
    return { message: line, context: {} };
  });
  const clients = Object.entries(file.clients).flatMap(([id, entry]): [string, Client][] => {
    const read = clientSchema.safeParse(entry);
    const faults = [
      ...(CLIENT_ID.test(id) ? [] : ['its id']),
      ...describeUnknownKeys(entry, Object.keys(clientSchema.shape)),
      ...(read.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
      ...(read.data ? findSecretProblems(read.data) : []),
    ];
    if (read.success && faults.length === 0) return [[id, read.data]];
    problems.push({ message: `A client is invalid: ${faults.join('; ')}`, context: { client: id } });
    const kept = before?.get(id);
    return kept === undefined ? [] : [[id, kept]];
  });
  return { value: new Map(clients), problems, notes: clients.flatMap(([id, client]) => findFragileSecret(id, client)) };
}

/**
 * Characters that form encoding does not change (RFC 6749, section 2.3.1). Some products omit the encoding, or use it
 * where they should not.
 */
const PLAIN_SECRET = /^[\w.~-]*$/;

function findFragileSecret(id: string, { secretFile }: Client): FileProblem[] {
  if (secretFile === undefined || PLAIN_SECRET.test(readSecretNow(secretFile) ?? '')) return [];
  const message = 'A secret has characters that some products do not encode: make one by openssl rand -hex 32';
  return [{ message, context: { client: id } }];
}

function readSecretNow(secretFile: string): string | null {
  try {
    return readFileSync(secretFile, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

function findSecretProblems({ secretFile, subjectType }: Client): string[] {
  const pairwise =
    subjectType === 'pairwise' && env().OIDC_PAIRWISE_SECRET === undefined
      ? ['pairwise needs OIDC_PAIRWISE_SECRET']
      : [];
  if (secretFile === undefined) return pairwise;
  const secret = readSecretNow(secretFile);
  if (secret === null) return [...pairwise, 'secretFile cannot be read'];
  const isStrong = secret.length >= MIN_SECRET_LENGTH && /^[!-~]+$/.test(secret);
  return isStrong
    ? pairwise
    : [...pairwise, `secretFile must have ${String(MIN_SECRET_LENGTH)} printable characters or more`];
}

/** Lists the ids of the clients that are not disabled. @param accepts selects some of them, by default all */
export async function listClientIds(accepts: (client: Client) => boolean = () => true): Promise<string[]> {
  const { OIDC_CLIENTS_FILE: path } = env();
  const clients = [...((path === undefined ? null : await getClientsFile(path).read()) ?? [])];
  return clients.flatMap(([id, client]) => (client.enabled && accepts(client) ? [id] : []));
}

/** Returns a client, or null if it is unknown or disabled. */
export async function findClient(id: string): Promise<Client | null> {
  const client = await findConfiguredClient(id);
  return client?.enabled === true ? client : null;
}

/** Returns a client, even if it is disabled. */
export async function findConfiguredClient(id: string): Promise<Client | null> {
  const { OIDC_CLIENTS_FILE: path } = env();
  return (path === undefined ? undefined : (await getClientsFile(path).read())?.get(id)) ?? null;
}

/** Whether the file has no entry of a client, not even an invalid or disabled entry. */
export async function isRemovedClient(id: string): Promise<boolean> {
  const { OIDC_CLIENTS_FILE: path } = env();
  if (path === undefined) return false;
  const file = getClientsFile(path);
  const [{ problems }, clients] = [await file.getState(), await file.read()];
  return clients !== null && !clients.has(id) && !problems.some(({ context }) => context.client === id);
}

/** Reads the secret at each use, so that a new secret is in force at once. */
export async function readSecret({ secretFile }: Client): Promise<string | undefined> {
  return secretFile === undefined ? undefined : (await readFile(secretFile, 'utf8')).trimEnd();
}
