import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { continueTrace, formatTraceparent, getRequestId, type TraceContext } from '@/lib/shared/request-headers';
import { env } from '../config/env';
import { processWide } from '../process';
import { deriveKeys } from '../keys';

/** The request that is being handled. */
class RequestContext {
  uid: string | null = null;
  private continued: TraceContext | undefined;

  constructor(
    readonly requestId: string,
    private readonly headers: IncomingHttpHeaders,
  ) {}

  /** Most session checks write no line, and need none. */
  get trace(): TraceContext {
    return (this.continued ??= continueTrace(this.headers.traceparent, this.headers.tracestate));
  }
}

/** The same for log lines and error reports. */
export type RequestFacts = { requestId: string; traceId: string; account?: string };

const storage = () => processWide('request-context', () => new AsyncLocalStorage<RequestContext | null>());

/**
 * Runs the handler of a request: every log line and error report until it is done names the request.
 * @param requestId see `readRequestId`
 */
export function runWithRequest<T>(headers: IncomingHttpHeaders, requestId: string, handler: () => T): T {
  return storage().run(new RequestContext(requestId, headers), handler);
}

/**
 * Runs work that is about no request, although one may have caused it: connections, their events and their timers are created in
 * the context of whichever request came first, and would name it in every later log line.
 */
export function runOutsideOfRequest<T>(work: () => T): T {
  return storage().run(null, work);
}

/** The id of a request: the one that our own proxy gave it, or a new one. Without a proxy no caller's id is used. */
export function readRequestId(headers: IncomingHttpHeaders): string {
  const isTrusted = env().TRUSTED_PROXY_HOPS > 0;
  return getRequestId(isTrusted ? [headers['x-request-id']].flat()[0] : undefined, isTrusted);
}

/** Notes the account that the present request is about. The first one stays: that of the session, if there is one. */
export function setRequestAccount(uid: string): void {
  const request = storage().getStore();
  if (request) request.uid ??= uid;
}

/** The present request; empty outside of one. */
export function getRequestFacts(): RequestFacts | Record<never, never> {
  const request = storage().getStore();
  if (!request) return {};
  const { requestId, trace, uid } = request;
  return { requestId, traceId: trace.traceId, ...(uid !== null && { account: hashAccount(uid) }) };
}

/** The header that continues the trace of the present request at another service; empty outside of a request. */
export function getTraceHeaders(): Record<string, string> {
  const request = storage().getStore();
  return request ? { traceparent: formatTraceparent(request.trace) } : {};
}

/**
 * The same for another deployment of this app or the platform, which also learn the request id. `tracestate` is from the
 * platform's own systems and goes to no third party.
 */
export function getOwnTraceHeaders(): Record<string, string> {
  const request = storage().getStore();
  if (!request) return {};
  const { requestId, trace } = request;
  return { ...getTraceHeaders(), 'x-request-id': requestId, ...(trace.state !== null && { tracestate: trace.state }) };
}

/** 64 bits: among a million accounts, two have the same hash with a probability of 3 in 100 million. */
const HASH_LENGTH = 16;
/** Of the accounts seen last. */
const MAX_CACHED = 10_000;

const keys = () => processWide('account-hash-keys', () => deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'log/account'));
const cache = () => processWide('account-hashes', () => new LRUCache<string, string>({ max: MAX_CACHED }));

/**
 * The name of an account in logs and error reports: HMAC-SHA-256 (RFC 2104) of its id, the first 8 bytes in hexadecimal.
 * It cannot be computed from an id without the key.
 */
export function hashAccount(uid: string): string {
  const known = cache().get(uid);
  if (known !== undefined) return known;
  const [hash = ''] = hashAccountByEverySecret(uid);
  cache().set(uid, hash);
  return hash;
}

/** By every secret in `TOKEN_ENCRYPTION_SECRET`, the present one first: older lines have the hash of an earlier one. */
export function hashAccountByEverySecret(uid: string): string[] {
  return keys().map((key) => createHmac('sha256', key).update(uid).digest('hex').slice(0, HASH_LENGTH));
}
