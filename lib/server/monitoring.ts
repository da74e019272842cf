import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/api/problem';
import { publicEnv } from '@/lib/config/env';
import { readBytes } from './http/body';

/** Longest envelope, in bytes (product decisions, 7). */
export const MAX_ENVELOPE = 1024 * 1024;
const TIMEOUT = 5_000;

/**
 * Passes an envelope on to our own error service, hosted or self-hosted, and to no other.
 * @throws ApiProblem `not-found` without an error service, `bad-request` for anything but its envelopes,
 *   `provider-unavailable` when it cannot be reached
 */
export async function forwardEnvelope(req: IncomingMessage): Promise<void> {
  const dsn = publicEnv().sentry?.dsn;
  if (dsn === undefined) throw new ApiProblem('not-found');
  const envelope = await readBytes(req, MAX_ENVELOPE);
  if (dsnOf(envelope) !== dsn) throw new ApiProblem('bad-request', { detail: 'Not an envelope of this product' });
  try {
    const body = new Uint8Array(envelope);
    const headers = { 'content-type': 'application/x-sentry-envelope' };
    await fetch(envelopeAddress(dsn), { method: 'POST', body, headers, signal: AbortSignal.timeout(TIMEOUT) });
  } catch (cause) {
    throw new ApiProblem('provider-unavailable', { retryAfter: 60, cause });
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

/** `https://key@host:port/path/id` takes its envelopes at `/path/api/id/envelope/`. */
function envelopeAddress(dsn: string): URL {
  const { protocol, host, pathname, username } = new URL(dsn);
  const [id = '', ...path] = pathname.split('/').filter(Boolean).reverse();
  const prefix = path.reverse().map((part) => `/${part}`).join(''); // prettier-ignore
  const address = new URL(`${protocol}//${host}${prefix}/api/${id}/envelope/`);
  address.search = new URLSearchParams({ sentry_key: username, sentry_version: '7' }).toString();
  return address;
}
