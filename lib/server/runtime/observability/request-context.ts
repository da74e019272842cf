import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  continueTrace,
  formatTraceparent,
  getRequestId,
  SUPPORT_CODE_HEADER,
  type TraceContext,
} from '@/lib/shared/request-headers';
import { parseSupportCode } from '@/lib/shared/support/support-code';
import { env } from '../config/env';
import { processWide } from '../process';
import { deriveKeys } from '../keys';

/** The current request. */
class RequestContext {
  uid: string | null = null;
  private continued: TraceContext | undefined;

  constructor(
    readonly requestId: string,
    private readonly headers: IncomingHttpHeaders,
  ) {}

  /** Computed on demand, because most session checks write no log line. */
  get trace(): TraceContext {
    return (this.continued ??= continueTrace(this.headers.traceparent, this.headers.tracestate));
  }

  get supportCode(): string | null {
    return parseSupportCode(this.headers[SUPPORT_CODE_HEADER]);
  }
}

/** The facts of a request for log lines and error reports. */
export type RequestFacts = { requestId: string; traceId: string; supportCode?: string; account?: string };

const storage = () => processWide('request-context', () => new AsyncLocalStorage<RequestContext | null>());

/**
 * Runs the handler of a request. Until it is done, every log line and error report names the request.
 * @param requestId see `readRequestId`
 */
export function runWithRequest<T>(headers: IncomingHttpHeaders, requestId: string, handler: () => T): T {
  return storage().run(new RequestContext(requestId, headers), handler);
}

/**
 * Runs work that belongs to no request, although a request may have caused it. Connections and timers would otherwise
 * name the first request in every later log line.
 */
export function runOutsideOfRequest<T>(work: () => T): T {
  return storage().run(null, work);
}

/** Returns the request id from our own proxy, or a new id. Without a proxy, a caller's id is never used. */
export function readRequestId(headers: IncomingHttpHeaders): string {
  const isTrusted = env().TRUSTED_PROXY_HOPS > 0;
  return getRequestId(isTrusted ? [headers['x-request-id']].flat()[0] : undefined, isTrusted);
}

/**
 * Records the account of the current request. The first account stays, which is the session's account if there is a
 * session.
 */
export function setRequestAccount(uid: string): void {
  const request = storage().getStore();
  if (request) request.uid ??= uid;
}

/** Returns the facts of the current request, or an empty object outside a request. */
export function getRequestFacts(): RequestFacts | Record<never, never> {
  const request = storage().getStore();
  if (!request) return {};
  const { requestId, trace, uid, supportCode } = request;
  return {
    requestId,
    traceId: trace.traceId,
    ...(supportCode !== null && { supportCode }),
    ...(uid !== null && { account: hashAccount(uid) }),
  };
}

/** Returns by which ids support finds the current request. Both are null outside of a request. */
export function getRequestIds(): { requestId: string | null; supportCode: string | null } {
  const request = storage().getStore();
  return { requestId: request?.requestId ?? null, supportCode: request?.supportCode ?? null };
}

/** Returns the header that continues the request's trace at another service. Empty outside of a request. */
export function getTraceHeaders(): Record<string, string> {
  const request = storage().getStore();
  return request ? { traceparent: formatTraceparent(request.trace) } : {};
}

/**
 * Returns the headers that continue the request's trace at the platform or another deployment of this app. They also
 * contain the request id. `tracestate` comes from the platform's systems, so no third party gets it.
 */
export function getOwnTraceHeaders(): Record<string, string> {
  const request = storage().getStore();
  if (!request) return {};
  const { requestId, trace } = request;
  return { ...getTraceHeaders(), 'x-request-id': requestId, ...(trace.state !== null && { tracestate: trace.state }) };
}

/** 64 bits. Among a million accounts, two have the same hash with a probability of 3 in 100 million. */
const HASH_LENGTH = 16;
/** Number of recently seen accounts whose hashes are cached. */
const MAX_CACHED = 10_000;

let derived: ReturnType<typeof deriveKeys> | undefined;
const keys = () => (derived ??= deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'log/account'));
const hashes = new LRUCache<string, string>({ max: MAX_CACHED });

/**
 * Returns the name of an account in logs and error reports: the first 8 bytes of the HMAC-SHA-256 (RFC 2104) of its id,
 * in hexadecimal. It cannot be computed without the key.
 */
export function hashAccount(uid: string): string {
  const known = hashes.get(uid);
  if (known !== undefined) return known;
  const [hash = ''] = hashAccountByEverySecret(uid);
  hashes.set(uid, hash);
  return hash;
}

/**
 * Returns the hashes of an account by every secret in `TOKEN_ENCRYPTION_SECRET`, the current first. Older log lines
 * contain the hash of an earlier secret.
 */
export function hashAccountByEverySecret(uid: string): string[] {
  return keys().map((key) => createHmac('sha256', key).update(uid).digest('hex').slice(0, HASH_LENGTH));
}
