import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { REPLAY } from './replay';

const sdk = readFileSync(path.resolve('node_modules/@sentry/replay/build/npm/cjs/index.js'), 'utf8');

it.each([
  ['SESSION_IDLE_PAUSE_DURATION', REPLAY.idlePause],
  ['SESSION_IDLE_EXPIRE_DURATION', REPLAY.idleExpiry],
  ['REPLAY_MAX_EVENT_BUFFER_SIZE', REPLAY.bufferCap],
  ['NETWORK_BODY_MAX_SIZE', REPLAY.networkBodyCap],
  ['RETRY_BASE_INTERVAL', REPLAY.firstRetryAfter],
  ['RETRY_MAX_COUNT', REPLAY.sendRetries],
  ['BUFFER_CHECKOUT_TIME', REPLAY.bufferCheckout],
  ['DEFAULT_FLUSH_MIN_DELAY', REPLAY.flushMinDelay],
  ['DEFAULT_FLUSH_MAX_DELAY', REPLAY.flushMaxDelay],
  ['MAX_CONTEXT_VALUES', REPLAY.maxTraceIds],
])('the installed SDK has the limit %s', (name, value) => {
  expect(Number(new RegExp(`const ${name} = ([\\d.e]+);`).exec(sdk)?.[1])).toBe(value);
});

it('the installed SDK has the unnamed limits', () => {
  expect(sdk).toContain(`errorIds.size < ${String(REPLAY.maxErrorIds)}`);
  expect(sdk).toContain(`read response body")), ${String(REPLAY.responseBodyTimeout)})`);
  // 300 in five seconds: stricter than the specified limit per second.
  expect(sdk).toMatch(new RegExp(`// Max ${String(REPLAY.maxEventsPerSecond)} events`));
});
