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
