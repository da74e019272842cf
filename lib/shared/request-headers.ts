/** Covers a UUID and the hexadecimal ids of common proxies. */
const REQUEST_ID = /^[\w-]{8,64}$/;

/**
 * The id of a request in logs, error reports and the `x-request-id` header of its response.
 * @param sent the request's own `x-request-id` header
 * @param isTrusted whether our own proxy wrote that header: two other callers could send the same id
 * @returns the sent id if it is trusted and has 8 to 64 letters, digits, `-` or `_`; otherwise a new UUID
 */
export function getRequestId(sent: string | null | undefined, isTrusted: boolean): string {
  return isTrusted && sent && REQUEST_ID.test(sent) ? sent : crypto.randomUUID();
}

/** Version 00: trace id, parent id and flags. A later version may append fields. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const FORBIDDEN_VERSION = 'ff';
const SAMPLED = 1;
/** The last 8 bytes of an id are enough for a parent id. */
const PARENT_ID_AT = 16;
/** Printable ASCII; implementations propagate at least 512 characters (W3C Trace Context, section 3.3.1.5). */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** A position in a distributed trace (W3C Trace Context, level 1). */
export type TraceContext = {
  /** 16 bytes in lower-case hexadecimal, not all zero. */
  traceId: string;
  /** Whether the caller records the trace. This app records none and passes the flag on. */
  isSampled: boolean;
  /** Other systems' part, passed on unchanged; null when there is none. */
  state: string | null;
};

/**
 * Continues the trace of a caller, or starts one. Every part of an invalid `traceparent` is ignored, and `tracestate`
 * with it (W3C Trace Context, section 4.2).
 */
export function continueTrace(traceparent: unknown, tracestate: unknown): TraceContext {
  const parent = parseTraceparent(traceparent);
  if (!parent) return { traceId: createTraceId(), isSampled: false, state: null };
  const state = typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? tracestate : null;
  return { ...parent, state };
}

/**
 * Parses a `traceparent` header (W3C Trace Context, section 3.2).
 * @returns null when it is invalid; of a later version, the fields of version 00
 */
export function parseTraceparent(header: unknown): Pick<TraceContext, 'traceId' | 'isSampled'> | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === FORBIDDEN_VERSION) return null;
  if (version === '00' && more !== undefined) return null;
  if (isZero(traceId) || isZero(parentId)) return null;
  return { traceId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The `traceparent` header of a call that continues a trace, with a parent id of its own. */
export function formatTraceparent({ traceId, isSampled }: TraceContext): string {
  return `00-${traceId}-${createTraceId().slice(PARENT_ID_AT)}-${isSampled ? '01' : '00'}`;
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

/** The digits of a UUID: the last 7 bytes are random, as section 3.2.2.3 recommends, and never all of them are zero. */
function createTraceId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/**
 * The query of a page that shared caches may store: the middleware takes it out of the address, and hands it to the server in this
 * request header, so that no byte of the page depends on it (docs/deployment.md#shared-caches).
 */
export const PAGE_QUERY_HEADER = 'x-page-query';

/**
 * Header in which our pages name the account that they show, by its uid. A tab can show one account while another tab of
 * the browser has signed in to a different one: its calls must not act on that one.
 */
export const PAGE_ACCOUNT_HEADER = 'x-account-uid';

/** Field of a form that works without scripts, in place of the header. */
export const PAGE_ACCOUNT_FIELD = 'account';

/**
 * Whether a call is refused because its page shows a different account than the one that is signed in.
 * @param named account of the page; undefined when the caller names none, as API clients may
 * @param signedIn account of the session; null without one: there is nothing to act on
 */
export function isOtherAccount(named: string | undefined, signedIn: string | null): boolean {
  return named !== undefined && signedIn !== null && named !== signedIn;
}

/** Header of a call that brings a proof of work: a `Proof` in JSON, in base64. */
export const PROOF_HEADER = 'x-proof-of-work';

/**
 * A challenge of ALTCHA's proof of work, version 2. The solution is the smallest counter from 0 on whose key begins with `keyPrefix`: PBKDF2
 * (RFC 8018) of `nonce` and the counter, as 32 bits in network byte order, with `salt`, `cost` rounds and `keyLength` bytes; all in hexadecimal.
 */
export type ProofChallenge = {
  parameters: {
    algorithm: 'PBKDF2/SHA-256';
    nonce: string;
    salt: string;
    cost: number;
    keyLength: number;
    keyPrefix: string;
    keySignature: string;
    /** Seconds since 1970. */
    expiresAt: number;
    /** What the proof is good for: one call of this route, from this network. */
    data: { call: string };
  };
  /** Of the parameters, by the server. */
  signature: string;
};

export type Proof = { challenge: ProofChallenge; solution: { counter: number; derivedKey: string } };
