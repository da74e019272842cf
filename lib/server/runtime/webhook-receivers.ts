import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigurationError, env } from './config/env';
import { describeUnknownKeys } from './config/names';
import { isWebhookSecret, NOT_A_WEBHOOK_SECRET, webhookAddress } from './config/schema';
import { openConfigFile, type FileProblem, type FileState, type ParsedFile } from './reload-file';

/** Events that a receiver can subscribe to (docs/integration.md#webhooks). */
export const WEBHOOK_EVENTS = ['account.deleted', 'account.disabled', 'account.updated', 'session.ended'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

const receiverSchema = z.object({
  url: webhookAddress,
  /**
   * File with the secret, which orchestrators mount. It contains several secrets, comma-separated, while a secret is
   * being replaced.
   */
  secretFile: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)).min(1),
});
/** An invalid entry may have no URL. Its events wait until it is corrected. */
type Entry = Pick<z.output<typeof receiverSchema>, 'events'> & Partial<z.output<typeof receiverSchema>>;
type Entries = ReadonlyMap<string, Entry>;

const receiverName = z.string().regex(/^[\w.-]{1,64}$/);
const fileSchema = z.object({ receivers: z.record(z.string(), z.unknown()) });

const getFile = (path: string) =>
  openConfigFile<Entries>('WEBHOOKS_FILE', path, (content, before) => {
    const { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets } = env();
    return parseWebhookReceivers(content, before, url === undefined ? [] : secrets);
  });

/**
 * Parses the receivers. An invalid entry is reported, and keeps its last valid version.
 * @param own secrets of the receiver of `WEBHOOK_URL`
 */
export function parseWebhookReceivers(
  content: unknown,
  before: Entries | null,
  own: readonly string[] = [],
): ParsedFile<Entries> {
  const { success, data: file } = fileSchema.safeParse(content);
  if (!success) throw new Error('must be an object with receivers');
  const problems = describeUnknownKeys(content, Object.keys(fileSchema.shape)).map((line): FileProblem => {
    return { message: line, context: {} };
  });
  const taken = new Set(own);
  const receivers = Object.entries(file.receivers).flatMap(([name, entry]): [string, Entry][] => {
    const isNamed = receiverName.safeParse(name).success;
    const read = receiverSchema.safeParse(entry);
    const faults = [
      ...(isNamed ? [] : ['its name']),
      ...describeUnknownKeys(entry, Object.keys(receiverSchema.shape)),
      ...(read.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
      ...(read.data ? findSecretProblems(read.data.secretFile, taken) : []),
    ];
    if (read.success && faults.length === 0) return [[name, read.data]];
    problems.push({ message: `A receiver of webhooks is invalid: ${faults.join('; ')}`, context: { receiver: name } });
    const { data } = receiverSchema.pick({ events: true }).safeParse(entry);
    const kept = before?.get(name) ?? data;
    return isNamed && kept ? [[name, kept]] : [];
  });
  return { value: new Map(receivers), problems };
}

/** @param taken secrets of the other receivers; a receiver with another receiver's secret could forge events to it */
function findSecretProblems(path: string, taken: Set<string>): string[] {
  try {
    const secrets = splitSecrets(readFileSync(path, 'utf8'));
    if (secrets === null) return [`secretFile ${NOT_A_WEBHOOK_SECRET}`];
    const isShared = secrets.some((secret) => taken.has(secret));
    for (const secret of secrets) taken.add(secret);
    return isShared ? ['secretFile has the secret of another receiver'] : [];
  } catch {
    return ['secretFile cannot be read'];
  }
}

function splitSecrets(text: string): string[] | null {
  const secrets = text.split(',').map((secret) => secret.trim());
  return secrets.every(isWebhookSecret) ? secrets : null;
}

/** `name`: null for the receiver of `WEBHOOK_URL`. */
export type WebhookReceiver = { name: string | null; events: readonly WebhookEventType[] };
export type WebhookTarget = { url: string; secrets: readonly string[] };

export async function listWebhookReceivers(): Promise<WebhookReceiver[]> {
  const { WEBHOOK_URL: url } = env();
  const first: WebhookReceiver[] = url === undefined ? [] : [{ name: null, events: ['account.deleted'] }];
  return [...first, ...[...(await readEntries())].map(([name, { events }]) => ({ name, events }))];
}

/**
 * Returns the address and secrets of a receiver. Secrets are read at each use, so a new secret is in force at once.
 * @returns null if the receiver is not usable
 */
export async function readWebhookTarget(name: string | null): Promise<WebhookTarget | null> {
  const { WEBHOOK_URL: own, WEBHOOK_SECRET: ownSecrets } = env();
  if (name === null) return own === undefined ? null : { url: own, secrets: ownSecrets };
  const { url, secretFile } = (await readEntries()).get(name) ?? {};
  if (url === undefined || secretFile === undefined) return null;
  const secrets = splitSecrets(await readFile(secretFile, 'utf8').catch(() => ''));
  return secrets && { url, secrets };
}

async function readEntries(): Promise<Entries> {
  const { WEBHOOKS_FILE: path } = env();
  if (path === undefined) return new Map();
  const entries = await getFile(path).read();
  // No app starts without this file, and a command that wrote its events for no receiver would lose them.
  if (entries === null) throw new ConfigurationError(['WEBHOOKS_FILE cannot be used: `node cli doctor` says why']);
  return entries;
}

/** Returns the state of the file, and rereads a changed file. @returns null if none is configured */
export async function readWebhooksFile(): Promise<({ path: string } & FileState) | null> {
  const { WEBHOOKS_FILE: path } = env();
  return path === undefined ? null : { path, ...(await getFile(path).getState()) };
}
