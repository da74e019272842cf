import { readFileSync } from 'node:fs';
import path from 'node:path';
import { applyAggregateErrorsToEvent } from '@sentry/core';
import { expect, it } from 'vitest';
import { beforeSend, sentryOptions, isDropped, REPLAY } from './options';

const thrown = (type: string, value: string) => ({ exception: { values: [{ type, value }] } });

it('looks at the error that was thrown, not at its cause', () => {
  const parse = (_stack: unknown, error: Error) => ({ type: error.name, value: error.message });
  const report = (message: string, cause: string) => {
    const originalException = new Error(message, { cause: new Error(cause) });
    const event = thrown('Error', message);
    applyAggregateErrorsToEvent(parse, () => [], 'cause', 5, event, { originalException });
    expect(event.exception.values).toHaveLength(2);
    return beforeSend(event);
  };
  expect(report('The session could not be opened', 'auth/network-request-failed')).not.toBeNull();
  expect(report('auth/network-request-failed', 'no route')).toBeNull();
});

it('drops errors that match a rule and reports the others', () => {
  expect(beforeSend(thrown('ReferenceError', "Can't find variable: gmo"))).toBeNull();
  expect(beforeSend({ message: 'Firebase: Error (auth/network-request-failed).' })).toBeNull();
  const other = thrown('ReferenceError', "Can't find variable: other");
  expect(beforeSend(other)).toBe(other);
});

it('sends environment and release, and disables personal data', () => {
  const service = { dsn: 'https://key@errors.example/1', environment: 'staging', release: 'abc1234' };
  expect(sentryOptions(service)).toMatchObject({
    ...service,
    debug: false,
    tracesSampleRate: 0.2,
    sendDefaultPii: false,
  });
});

it.each([
  ['ReferenceError', "Can't find variable: gmo", true],
  ['Error', "Can't find variable: gmo", true],
  ['TypeError', "Can't find variable: gmo", false],
  ['ReferenceError', "Can't find variable: other", false],
  ['FirebaseError', 'Firebase: Error (auth/network-request-failed).', true],
  ['Error', 'auth/network-request-failed', true],
  ['TypeError', 'auth/network-request-failed', false],
  ['FirebaseError', 'Firebase: Error (auth/internal-error).', false],
  ['TypeError', "null is not an object (evaluating 'e.uid')", true],
  ['TypeError', "null is not an object (evaluating 'e.user.id')", true],
  ['TypeError', "null is not an object (evaluating 't.userId')", true],
  ['TypeError', "null is not an object (evaluating 'e.name')", false],
  ['Error', "null is not an object (evaluating 'e.uid')", false],
])('%s %s: dropped is %s', (type, message, dropped) => {
  expect(isDropped({ type, message })).toBe(dropped);
});

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
  // The library allows 300 in five seconds, which is stricter than the specified limit per second.
  expect(sdk).toMatch(new RegExp(`// Max ${String(REPLAY.maxEventsPerSecond)} events`));
});
