import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/shared/problem';
import { getPublicEnv, envelopeUrl, Semaphore } from '@/lib/server/runtime';
import { readBytes } from './body';
import { unpackGzip } from './gzip';

/** Maximum size of an envelope as received, in bytes (docs/product.md#analytics-and-error-reporting). */
export const MAX_ENVELOPE_BYTES = 1024 * 1024;
/** Maximum unpacked size of an envelope, in bytes: a recording at its cap. */
const MAX_UNPACKED_BYTES = 20_000_000;
/** Maximum length of an envelope's first line, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;
/** 20 KB can unpack to 20 MB: limit the concurrency, and bound the queue of bodies of at most 1 MiB. */
const unpacking = new Semaphore(4, 32);
const REQUEST_TIMEOUT_MS = 5_000;
const PAUSE_HEADERS = ['retry-after', 'x-sentry-rate-limits'];

/**
 * Forwards an envelope to our own error service, hosted or self-hosted, and to no other. The bytes are forwarded
 * unchanged.
 * @returns the service's rate-limit headers for the sender
 * @throws ApiProblem `not-found` without an error service, `bad-request` for anything but its envelopes,
 *   `too-many-requests` when the service is rate limiting or too many envelopes are being unpacked,
 *   `provider-unavailable` when it fails or is unreachable
 */
export async function forwardEnvelope(req: IncomingMessage): Promise<Record<string, string>> {
  const dsn = getPublicEnv().sentry?.dsn;
  const url = dsn === undefined ? null : envelopeUrl(dsn);
  if (dsn === undefined || url === null) throw new ApiProblem('not-found');
  const encoding = getEncoding(req);
  const body = await readBytes(req, MAX_ENVELOPE_BYTES);
  if (encoding === 'gzip') await unpacking.run(() => checkEnvelope(unpackGzip(body), dsn));
  else await checkEnvelope([body], dsn);

  const headers = {
    'content-type': 'application/x-sentry-envelope',
    ...(encoding === 'gzip' ? { 'content-encoding': encoding } : {}),
  };
  const response = await send(url, { method: 'POST', body: new Uint8Array(body), headers });
  if (response.status === 429)
    throw new ApiProblem('too-many-requests', { retryAfter: Number(response.headers.get('retry-after')) || 60 });
  if (response.status >= 500) throw new ApiProblem('provider-unavailable', { retryAfter: 60 });
  return Object.fromEntries(PAUSE_HEADERS.flatMap((name) => [[name, response.headers.get(name)]]).filter(isPresent));
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    // The response body is unused; left unread it would keep the connection open.
    await response.body?.cancel();
    return response;
  } catch (cause) {
    throw new ApiProblem('provider-unavailable', { retryAfter: 60, cause });
  }
}

function getEncoding(req: IncomingMessage): 'gzip' | 'identity' {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity') throw new ApiProblem('unsupported-media-type');
  return encoding;
}

/** Validates the DSN as soon as the first line has arrived, then only counts. @throws ApiProblem `bad-request` */
async function checkEnvelope(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, dsn: string): Promise<void> {
  let header: Buffer | null = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_UNPACKED_BYTES) throw new ApiProblem('bad-request', { detail: 'The envelope is too long' });
    if (!header) continue;
    header = Buffer.concat([header, chunk.subarray(0, MAX_HEADER_BYTES - header.length)]);
    if (!header.includes('\n') && header.length < MAX_HEADER_BYTES) continue;
    checkHeader(header, dsn);
    header = null;
  }
  if (header) checkHeader(header, dsn);
}

/** The envelope must carry the DSN that the browser's client was given (`getPublicEnv`). */
function checkHeader(header: Buffer, dsn: string): void {
  if (parseEnvelopeDsn(header) === dsn) return;
  throw new ApiProblem('bad-request', { detail: 'Not an envelope of this product' });
}

/** The first line of an envelope is a JSON header that names its DSN. */
function parseEnvelopeDsn(envelope: Buffer): unknown {
  const [line = ''] = envelope.toString('utf8').split('\n', 1);
  try {
    const header: unknown = JSON.parse(line);
    return typeof header === 'object' && header !== null && 'dsn' in header ? header.dsn : undefined;
  } catch {
    return undefined;
  }
}

function isPresent(entry: (string | null)[]): entry is [string, string] {
  return entry[1] !== null;
}
