/** Covers a UUID and the hexadecimal ids of common proxies. */
const REQUEST_ID = /^[\w-]{8,64}$/;

/**
 * Returns the id of a request for logs, error reports and the `x-request-id` header of its response.
 * @param sent the request's own `x-request-id` header
 * @param isTrusted whether our own proxy wrote that header, because other callers could send the same id twice
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
/** Printable ASCII. Implementations propagate at least 512 characters (W3C Trace Context, section 3.3.1.5). */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** A position in a distributed trace (W3C Trace Context, level 1). */
export type TraceContext = {
  /** 16 bytes in lower-case hexadecimal, not all zero. */
  traceId: string;
  /** Whether the caller records the trace. This app records none and passes the flag on. */
  isSampled: boolean;
  /** Other systems' part, passed on unchanged. Null if there is none. */
  state: string | null;
};

/**
 * Continues a caller's trace or starts a new trace. It ignores every part of an invalid `traceparent`, and its
 * `tracestate` (W3C Trace Context, section 4.2).
 */
export function continueTrace(traceparent: unknown, tracestate: unknown): TraceContext {
  const parent = parseTraceparent(traceparent);
  if (!parent) return { traceId: createTraceId(), isSampled: false, state: null };
  const state = typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? tracestate : null;
  return { ...parent, state };
}

/**
 * Parses a `traceparent` header (W3C Trace Context, section 3.2).
 * @returns null if it is invalid. For a later version, the fields of version 00.
 */
export function parseTraceparent(header: unknown): Pick<TraceContext, 'traceId' | 'isSampled'> | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === FORBIDDEN_VERSION) return null;
  if (version === '00' && more !== undefined) return null;
  if (isZero(traceId) || isZero(parentId)) return null;
  return { traceId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Formats the `traceparent` header of a call that continues a trace, with a new parent id. */
export function formatTraceparent({ traceId, isSampled }: TraceContext): string {
  return `00-${traceId}-${createTraceId().slice(PARENT_ID_AT)}-${isSampled ? '01' : '00'}`;
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

/** Creates a trace id from the digits of a UUID. Its last 7 bytes are random, as section 3.2.2.3 recommends. It is never zero. */
function createTraceId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/**
 * Request header with the query of a page that shared caches may store. The middleware moves the query from the address
 * into this header, so that no byte of the page depends on it (docs/deploy/caches.md).
 */
export const PAGE_QUERY_HEADER = 'x-page-query';

/**
 * Header with the uid of the account that our page shows. Another tab may have signed in to a different account, and calls
 * of this page must not act on that account.
 */
export const PAGE_ACCOUNT_HEADER = 'x-account-uid';

/** Header with a support code, by which support finds the calls of an app or a tab. It is random, and gives no access. */
export const SUPPORT_CODE_HEADER = 'x-support-code';

/** Form field that replaces the header in a form that works without scripts. */
export const PAGE_ACCOUNT_FIELD = 'account';

/**
 * Whether a call is refused because its page shows a different account than the account that is signed in.
 * @param named account of the page; undefined if the caller names none, as API clients may
 * @param signedIn account of the session; null without a session, so there is nothing to act on
 */
export function isOtherAccount(named: string | undefined, signedIn: string | null): boolean {
  return named !== undefined && signedIn !== null && named !== signedIn;
}

/** Header with a proof of work: a `Proof` as JSON, in base64. */
export const PROOF_HEADER = 'x-proof-of-work';

/**
 * A challenge of ALTCHA's proof of work, version 2. The solution is the smallest counter, from 0, whose key begins with
 * `keyPrefix`. The key is the PBKDF2 (RFC 8018) of `nonce` and the counter, as 32 bits in network byte order. It uses
 * `salt`, `cost` rounds and `keyLength` bytes. All values are hexadecimal.
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
    /** The call that the proof is valid for: one call of this route, from this network. */
    data: { call: string };
  };
  /** The server's signature of the parameters. */
  signature: string;
};

export type Proof = { challenge: ProofChallenge; solution: { counter: number; derivedKey: string } };
