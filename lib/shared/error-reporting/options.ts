import type { BaseTransportOptions, Envelope, Transport } from '@sentry/core';
import { redact, redactJson } from '@/lib/shared/redaction/redact';

/** Same-origin path that proxies error and replay traffic (docs/product.md#analytics-and-error-reporting). */
export const TUNNEL_PATH = '/monitoring';

/** Sample rates (docs/product.md#constants). */
export const RATES = { traces: 0.2, replaysOnError: 1, replays: 0.1 } as const;

type ReportedError = { type?: string; value?: string };
type Reportable = { exception?: { values?: ReportedError[] }; message?: string };

/** Drops errors that are not actionable. The SDK lists the causes of an error before it. */
export function beforeSend<E extends Reportable>(event: E): E | null {
  const thrown = event.exception?.values?.at(-1);
  return isDropped({ type: thrown?.type, message: thrown?.value ?? event.message ?? '' }) ? null : event;
}

/** Options shared by browser, server and edge. The transport redacts secrets (`redactedTransport`). */
export function sentryOptions(service: { dsn: string; environment: string; release: string }) {
  return { ...service, debug: false, tracesSampleRate: RATES.traces, sendDefaultPii: false, beforeSend };
}

type Thrown = { type: string | undefined; message: string };
type DropRule = {
  /** Error types. A thrown value without a type counts as `Error`. */
  types: readonly string[];
  /** Regular expression that matches the message, case-insensitively. */
  message: string;
};

/** Maximum length of a matched message, in characters, because the patterns are not linear. */
const MAX_MESSAGE_LENGTH = 1_000;
const GENERIC = ['Error', 'UnhandledRejection'];

/** Rules for errors that are not actionable and not reported (docs/product.md#error-codes). Operators can list them. */
export const DROPPED: readonly DropRule[] = [
  { types: ['ReferenceError', ...GENERIC], message: "can't find variable: ?gmo" },
  { types: ['FirebaseError', ...GENERIC], message: 'auth/network-request-failed' },
  { types: ['TypeError'], message: 'null is not an object.*\\b(?:uid|user[._]?id)\\b' },
];

/** @returns whether the error is dropped instead of reported */
export function isDropped({ type = 'Error', message }: Thrown): boolean {
  const begin = message.slice(0, MAX_MESSAGE_LENGTH);
  return DROPPED.some((rule) => rule.types.includes(type) && new RegExp(rule.message, 'i').test(begin));
}

/**
 * Replay settings (docs/product.md#constants), with times in milliseconds. Some are constants of the SDK that cannot be
 * set, so a test compares them with the installed version.
 */
export const REPLAY = {
  maskAllText: true,
  blockAllMedia: true,
  idlePause: 300_000,
  idleExpiry: 900_000,
  /** Maximum recording kept in memory, in characters. */
  bufferCap: 20_000_000,
  maxEventsPerSecond: 300,
  maxErrorIds: 100,
  maxTraceIds: 100,
  /** Network bodies are truncated to this length, in characters. */
  networkBodyCap: 150_000,
  responseBodyTimeout: 500,
  sendRetries: 3,
  firstRetryAfter: 5_000,
  bufferCheckout: 60_000,
  flushMinDelay: 5_000,
  flushMaxDelay: 5_500,
} as const;

type Item = [header: Record<string, unknown>, payload: unknown];

/**
 * Redacts everything that an error reporting client sends. Its transport is the only outlet for events, traces and
 * replays.
 * @param makeTransport creates the transport that sends the envelopes
 * @returns a value for the client's `transport` option
 */
export function redactedTransport<Options extends BaseTransportOptions>(
  makeTransport: (options: Options) => Transport,
): (options: Options) => Transport {
  return (options) => {
    const transport = makeTransport(options);
    return {
      send: (envelope) => transport.send(redactEnvelope(envelope)),
      flush: (timeout) => transport.flush(timeout),
    };
  };
}

/** Redacts the items of an envelope. The envelope's own header names the service and contains no learner data. */
export function redactEnvelope(envelope: Envelope): Envelope {
  const [header, items] = envelope as [unknown, Item[]];
  return [header, items.flatMap(redactItem)] as unknown as Envelope;
}

/** Drops unparsable items, because they cannot be redacted. */
function redactItem([header, payload]: Item): Item[] {
  if (typeof payload === 'object' && payload !== null && !ArrayBuffer.isView(payload))
    return [[header, redact(withoutRequestContents(payload))]];
  if (typeof payload !== 'string') return [];
  try {
    const text = payload.split('\n').map(redactJson).join('\n');
    return [[{ ...header, length: new TextEncoder().encode(text).length }, text]];
  } catch {
    return [];
  }
}

/**
 * Keeps only the method, URL and user agent of a request, because bodies contain passwords, and cookies and headers
 * contain sessions.
 */
function withoutRequestContents(event: object): object {
  if (!('request' in event) || typeof event.request !== 'object' || event.request === null) return event;
  const { method, url, headers } = event.request as { method?: unknown; url?: unknown; headers?: object };
  const agent = Object.entries(headers ?? {}).filter(([name]) => /^user-agent$/i.test(name));
  return { ...event, request: { method, url, headers: Object.fromEntries(agent) } };
}
