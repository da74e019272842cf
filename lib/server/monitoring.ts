import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiProblem } from '@/lib/api/problem';
import { publicEnv } from '@/lib/config/env';
import { envelopeAddress, isSameProject, parseDsn } from '@/lib/sentry/dsn';
import { readBytes } from './http/body';

/** Longest envelope as it arrives, in bytes (product decisions, 7). */
export const MAX_ENVELOPE = 1024 * 1024;
/** Longest envelope once unpacked: a recording at its cap (specification, section 9). */
const MAX_UNPACKED = 20_000_000;
const TIMEOUT = 5_000;
const PAUSE_HEADERS = ['retry-after', 'x-sentry-rate-limits'];

/**
 * Passes an envelope on to our own error service, hosted or self-hosted, and to no other. The bytes go on as they came.
 * @returns the service's request to send less, as headers for the sender
 * @throws ApiProblem `not-found` without an error service, `bad-request` for anything but its envelopes,
 *   `too-many-requests` when the service asks for a pause, `provider-unavailable` when it fails or is out of reach
 */
export async function forwardEnvelope(req: IncomingMessage): Promise<Record<string, string>> {
  const own = parseDsn(publicEnv().sentry?.dsn);
  if (!own) throw new ApiProblem('not-found');
  const encoding = encodingOf(req);
  const body = await readBytes(req, MAX_ENVELOPE);
  const named = parseDsn(dsnOf(encoding === 'gzip' ? await unpack(body) : body));
  if (!named || !isSameProject(named, own))
    throw new ApiProblem('bad-request', { detail: 'Not an envelope of this product' });

  const headers = {
    'content-type': 'application/x-sentry-envelope',
    ...(encoding === 'gzip' ? { 'content-encoding': encoding } : {}),
  };
  const answer = await send(envelopeAddress(own), { method: 'POST', body: new Uint8Array(body), headers });
  if (answer.status === 429)
    throw new ApiProblem('too-many-requests', { retryAfter: Number(answer.headers.get('retry-after')) || 60 });
  if (answer.status >= 500) throw new ApiProblem('provider-unavailable', { retryAfter: 60 });
  return Object.fromEntries(PAUSE_HEADERS.flatMap((name) => [[name, answer.headers.get(name)]]).filter(isPresent));
}

async function send(address: URL, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(address, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
    // Nothing in the answer's body is of use; unread it would keep the connection.
    await answer.body?.cancel();
    return answer;
  } catch (cause) {
    throw new ApiProblem('provider-unavailable', { retryAfter: 60, cause });
  }
}

function encodingOf(req: IncomingMessage): 'gzip' | 'identity' {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity') throw new ApiProblem('unsupported-media-type');
  return encoding;
}

async function unpack(packed: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: MAX_UNPACKED });
  } catch (cause) {
    throw new ApiProblem('bad-request', { detail: 'The envelope cannot be unpacked', cause });
  }
}

/** The first line of an envelope is a JSON header that names its DSN. */
function dsnOf(envelope: Buffer): unknown {
  const end = envelope.indexOf('\n');
  try {
    const header: unknown = JSON.parse(envelope.subarray(0, end === -1 ? undefined : end).toString('utf8'));
    return typeof header === 'object' && header !== null && 'dsn' in header ? header.dsn : undefined;
  } catch {
    return undefined;
  }
}

function isPresent(entry: (string | null)[]): entry is [string, string] {
  return entry[1] !== null;
}
