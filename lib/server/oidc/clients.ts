import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  createReloadingFile,
  describeUnknownKeys,
  env,
  isLocalHost,
  processWide,
  type FileProblem,
  type ParsedFile,
  type ReloadingFile,
} from '@/lib/server/runtime';
import { CLAIMS } from './claims';
import { ALGORITHMS } from './keys';

const MIN_SECRET_LENGTH = 32;

/** Codes and logout tokens go there: only this machine may get them unencrypted. Compared as written, so it has one spelling. */
const address = z.string().refine((value) => {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, hash, href } = new URL(value);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocalHost(hostname));
  const isOneSpelling = href === value || href === `${value}/`;
  return isSafe && isOneSpelling && username === '' && password === '' && hash === '' && !value.includes('*');
}, 'must be an https address in its usual spelling, without a user name and fragment; http only on localhost');

const clientSchema = z
  .object({
    /** Shown at sign-in. */
    name: z.string().min(1).max(60),
    redirectUris: z.array(address).min(1).max(20),
    postLogoutRedirectUris: z.array(address).max(20).default([]),
    backchannelLogoutUri: address.optional(),
    authentication: z.enum(['client_secret_basic', 'client_secret_post', 'none']).default('client_secret_basic'),
    /** File with the secret, as orchestrators mount it. */
    secretFile: z.string().optional(),
    subjectType: z.enum(['public', 'pairwise']).default('public'),
    algorithm: z.enum(ALGORITHMS).default('RS256'),
    /** Whether a request without PKCE is refused (RFC 7636). */
    pkce: z.boolean().default(true),
    refreshTokens: z.boolean().default(false),
    claims: z.array(z.enum(CLAIMS)).default([...CLAIMS]),
    enabled: z.boolean().default(true),
  })
  .superRefine((client, context) => {
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

const clientId = z.string().regex(/^[\w.-]{1,64}$/);
const fileSchema = z.object({ clients: z.record(z.string(), z.unknown()) });

/** Reads the clients, and rereads them when the file changes. An invalid entry is reported and keeps its last valid version. */
export function getClientsFile(path: string): ReloadingFile<Clients> {
  return processWide('oidc-clients', () => createReloadingFile('OIDC_CLIENTS_FILE', path, parseClients));
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
      ...(clientId.safeParse(id).success ? [] : ['its id']),
      ...describeUnknownKeys(entry, Object.keys(clientSchema.shape)),
      ...(read.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
      ...(read.data ? findSecretProblems(read.data) : []),
    ];
    if (read.success && faults.length === 0) return [[id, read.data]];
    problems.push({ message: `A client is invalid: ${faults.join('; ')}`, context: { client: id } });
    const kept = before?.get(id);
    return kept === undefined ? [] : [[id, kept]];
  });
  return { value: new Map(clients), problems };
}

function findSecretProblems({ secretFile, subjectType }: Client): string[] {
  const pairwise =
    subjectType === 'pairwise' && env().OIDC_PAIRWISE_SECRET === undefined
      ? ['pairwise needs OIDC_PAIRWISE_SECRET']
      : [];
  if (secretFile === undefined) return pairwise;
  try {
    return isSecret(readFileSync(secretFile, 'utf8'))
      ? pairwise
      : [...pairwise, `secretFile must have ${String(MIN_SECRET_LENGTH)} printable characters or more`];
  } catch {
    return [...pairwise, 'secretFile cannot be read'];
  }
}

const isSecret = (text: string) => text.trimEnd().length >= MIN_SECRET_LENGTH && /^[!-~]+$/.test(text.trimEnd());

/** Null for an unknown client, and one that is not enabled. */
export async function findClient(id: string): Promise<Client | null> {
  const { OIDC_CLIENTS_FILE: path } = env();
  const client = path === undefined ? undefined : (await getClientsFile(path).read())?.get(id);
  return client?.enabled === true ? client : null;
}

/** Whether the file has no entry of a client, not even one that is invalid or not enabled. */
export async function isRemovedClient(id: string): Promise<boolean> {
  const { OIDC_CLIENTS_FILE: path } = env();
  if (path === undefined) return false;
  const file = getClientsFile(path);
  const [{ problems }, clients] = [await file.getState(), await file.read()];
  return clients !== null && !clients.has(id) && !problems.some(({ context }) => context.client === id);
}

/** Read at each use, so that a new secret is in force at once. */
export async function readSecret({ secretFile }: Client): Promise<string | undefined> {
  return secretFile === undefined ? undefined : (await readFile(secretFile, 'utf8')).trimEnd();
}
