import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { FairSemaphore, countPolicyViolation, envelopeUrl, getPublicEnv, log } from '@/lib/server/runtime';
import { DROPPED, RATES, REPLAY, TUNNEL_PATH } from '@/lib/shared/error-reporting/options';
import { ApiProblem } from '@/lib/shared/problem';
import { getMediaType, readBytes } from './body';
import { abortAfter } from '@/lib/shared/time-limit';

/** Directives of our policies. The list ensures that a counter's label never comes from client input. */
export const DIRECTIVES = ['script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem', 'style-src-attr', 'img-src', 'connect-src', 'font-src', 'frame-src', 'worker-src', 'manifest-src', 'form-action', 'base-uri', 'frame-ancestors', 'object-src', 'default-src'] as const; // oxfmt-ignore
const directive = z.enum(DIRECTIVES).catch('default-src');

/** Report formats of `report-uri` and `report-to` (CSP Level 3, section 5; Reporting API). */
const byUri = z.object({ 'csp-report': z.object({ 'effective-directive': directive, 'blocked-uri': z.string() }) });
const byApi = z.array(
  z.object({ type: z.string(), body: z.object({ effectiveDirective: directive, blockedURL: z.string() }).optional() }),
);

/** Keywords that browsers report instead of a URL (CSP Level 3, section 2.4), and schemes of URLs without a host. */
const KEYWORDS = [
  'inline',
  'eval',
  'wasm-eval',
  'self',
  'trusted-types-policy',
  'trusted-types-sink',
  'data',
  'blob',
  'filesystem',
  'about',
  'chrome-extension',
  'moz-extension',
  'safari-web-extension',
];
/** Includes a port (RFC 1035, section 2.3.4). */
const MAX_HOST_LENGTH = 259;
/** Maximum number of reports per call that are counted and logged. */
const MAX_REPORTS = 20;

const MEDIA_TYPES = ['application/csp-report', 'application/reports+json', 'application/json'];

/**
 * Counts and logs violations of our pages' policies. It records the directive and the host, never a URL.
 * @throws ApiProblem `unsupported-media-type`, `bad-request`, `body-too-large`
 */
export async function handleCspReport(req: IncomingMessage): Promise<void> {
  if (!MEDIA_TYPES.includes(getMediaType(req) ?? '')) throw new ApiProblem('unsupported-media-type');
  for (const { directive: name, blocked } of getViolations(parse(await readBytes(req))).slice(0, MAX_REPORTS)) {
    countPolicyViolation(name);
    log().warn({ directive: name, blocked: getReportedHost(blocked) }, 'policy violated');
  }
}

function getViolations(body: unknown): { directive: string; blocked: string }[] {
  const uri = byUri.safeParse(body).data?.['csp-report'];
  if (uri) return [{ directive: uri['effective-directive'], blocked: uri['blocked-uri'] }];
  const reports = byApi.safeParse(body).data;
  if (!reports) throw new ApiProblem('bad-request');
  return reports.flatMap(({ type, body: report }) =>
    type === 'csp-violation' && report ? [{ directive: report.effectiveDirective, blocked: report.blockedURL }] : [],
  );
}

/** Returns the blocked host or a keyword. Other text is client input and is not logged. */
export function getReportedHost(blocked: string): string {
  if (KEYWORDS.includes(blocked)) return blocked;
  const address = parseAddress(blocked);
  if (address === null) return 'other';
  const { host, protocol } = address;
  const scheme = protocol.slice(0, -1);
  if (KEYWORDS.includes(scheme)) return scheme;
  return host === '' || host.length > MAX_HOST_LENGTH ? 'other' : host;
}

/** Does not use `URL.canParse`. In Node.js 24, it accepts hosts over 16 KiB that the constructor refuses. */
function parseAddress(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiProblem('bad-request', { detail: 'The body is not JSON' });
  }
}

/** Bytes unpacked at a time, so that memory does not grow with the unpacked size. */
const CHUNK_BYTES = 16 * 1024;

/** Unpacks in chunks, only as far as the caller reads. @throws ApiProblem `bad-request` for invalid gzip */
async function* unpackGzip(packed: Buffer): AsyncGenerator<Buffer, void> {
  const stream = createGunzip({ chunkSize: CHUNK_BYTES });
  stream.end(packed);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    throw new ApiProblem('bad-request', { detail: 'The body cannot be unpacked', cause });
  } finally {
    stream.destroy();
  }
}

/** Maximum size of an envelope as received, in bytes (docs/product.md#analytics-and-error-reporting). */
export const MAX_ENVELOPE_BYTES = 1024 * 1024;
/** Maximum unpacked size of an envelope, in bytes. It fits a recording of the maximum size. */
const MAX_UNPACKED_BYTES = 20_000_000;
/** Maximum length of an envelope's first line, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;
/** 20 KB can unpack to 20 MB, so limit the concurrency and the queue of bodies of at most 1 MiB. */
const unpacking = new FairSemaphore({ maxRunning: 4, maxHeld: Infinity, maxWaiting: 32 });
const REQUEST_TIMEOUT_MS = 5_000;
const PAUSE_HEADERS = ['retry-after', 'x-sentry-rate-limits'];

/**
 * Forwards an envelope unchanged to our own error service, hosted or self-hosted, and to no other.
 * @returns the service's rate-limit headers for the sender
 * @throws ApiProblem `not-found` without an error service, `bad-request` for anything but its envelopes,
 *   `too-many-requests` if the service is rate limiting or too many envelopes are being unpacked,
 *   `provider-unavailable` if it fails or is unreachable
 */
export async function forwardEnvelope(req: IncomingMessage): Promise<Record<string, string>> {
  const dsn = getPublicEnv().sentry?.dsn;
  const url = dsn === undefined ? null : envelopeUrl(dsn);
  if (dsn === undefined || url === null) throw new ApiProblem('not-found');
  const encoding = getEncoding(req);
  const body = await readBytes(req, MAX_ENVELOPE_BYTES);
  if (encoding === 'gzip') await unpacking.run('', () => checkEnvelope(unpackGzip(body), dsn));
  else await checkEnvelope([body], dsn);

  const headers = {
    'content-type': 'application/x-sentry-envelope',
    ...(encoding === 'gzip' ? { 'content-encoding': encoding } : {}),
  };
  const response = await send(url, { method: 'POST', body: new Uint8Array(body), headers });
  if (response.status === 429)
    throw new ApiProblem('too-many-requests', { retryAfter: Number(response.headers.get('retry-after')) || 60 });
  if (response.status >= 500) throw new ApiProblem('provider-unavailable', { retryAfter: 60 });
  return Object.fromEntries([...response.headers].filter(([name]) => PAUSE_HEADERS.includes(name)));
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, {
      ...init,
      redirect: 'error',
      signal: abortAfter(REQUEST_TIMEOUT_MS),
    });
    // Cancel the unused body, because an unread body keeps the connection open.
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

/**
 * Validates the DSN as soon as the first line has arrived, and then only counts bytes. @throws ApiProblem `bad-request`
 */
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

const envelopeHeader = z.object({ dsn: z.string() });

/** Checks the first line: a JSON header with the DSN that we gave to the browser (`getPublicEnv`). */
function checkHeader(begin: Buffer, dsn: string): void {
  const end = begin.indexOf('\n');
  const header = parse(end < 0 ? begin : begin.subarray(0, end));
  if (envelopeHeader.safeParse(header).data?.dsn !== dsn)
    throw new ApiProblem('bad-request', { detail: 'Not an envelope of this product' });
}

/**
 * Builds the error-reporting settings for operators (docs/product.md#analytics-and-error-reporting). The DSN is
 * included without its secret.
 */
export function sentryFile() {
  const { sentry } = getPublicEnv();
  return {
    enabled: sentry !== null,
    ...(sentry ?? { dsn: null, environment: null, release: null }),
    debug: false,
    tunnel: TUNNEL_PATH,
    tracesSampleRate: RATES.traces,
    replaysOnErrorSampleRate: RATES.replaysOnError,
    replaysSessionSampleRate: RATES.replays,
    replay: REPLAY,
    droppedErrors: DROPPED,
  };
}
