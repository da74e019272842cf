/** Same-origin path that proxies error and replay traffic (docs/product.md#analytics-and-error-reporting). */
export const TUNNEL_PATH = '/monitoring';

/** Sample rates (docs/product.md#constants). */
export const RATES = { traces: 0.2, replaysOnError: 1, replays: 0.1 } as const;

type ReportedError = { type?: string; value?: string };
type Reportable = { exception?: { values?: ReportedError[] }; message?: string };

/** Drops errors that are not actionable. */
export function beforeSend<E extends Reportable>(event: E): E | null {
  const [thrown] = event.exception?.values ?? [];
  return isDropped({ type: thrown?.type, message: thrown?.value ?? event.message ?? '' }) ? null : event;
}

/** Options shared by browser, server and edge; the transport redacts secrets (./outgoing). */
export function sentryOptions(service: { dsn: string; environment: string; release: string }) {
  return { ...service, debug: false, tracesSampleRate: RATES.traces, sendDefaultPii: false, beforeSend };
}

/** Errors that are not actionable and therefore not reported (docs/product.md#error-codes). */
type Thrown = { type: string | undefined; message: string };
type DropRule = {
  /** Error types; a thrown value without a type counts as `Error`. */
  types: readonly string[];
  /** Regular expression that matches the message, case-insensitively. */
  message: string;
};

/** Maximum length of a message that is matched, in characters: the patterns are not linear. */
const MAX_MESSAGE_LENGTH = 1_000;
const GENERIC = ['Error', 'UnhandledRejection'];

/** The three rules, also listed for operators. */
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
 * Replay settings (docs/product.md#constants), times in milliseconds. Settings that the SDK does not expose are its own
 * constants; a test compares them with the installed version.
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
