import { describe, expect, it } from 'vitest';
import { continueTrace, formatTraceparent, getRequestId, parseTraceparent } from './request-headers';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

it.each(['0d6a1c50-8b0e-4a2c-9f5d-0a4f4c7e1b2d', '5f1c9b0e3a7d4c2e8f6b1a0d9c3e7f52', 'abcdefgh', 'A_b-'.repeat(16)])(
  'accepts %s from our own proxy alone',
  (sent) => {
    expect(getRequestId(sent, true)).toBe(sent);
    expect(getRequestId(sent, false)).toMatch(UUID);
  },
);

it.each([
  undefined,
  null,
  '',
  'short',
  'a'.repeat(65),
  'a b c d e f',
  'abcdefgh\n',
  'abcdefgh,abcdefgh',
  '"}{"level":60',
  'lena@campus.test',
  'é'.repeat(9),
  '<script>x</script>',
])('makes an id instead of %j', (sent) => {
  expect(getRequestId(sent, true)).toMatch(UUID);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('parseTraceparent', () => {
  it.each([
    [`00-${TRACE}-${PARENT}-01`, true],
    [`00-${TRACE}-${PARENT}-00`, false],
    // Other flags are unknown to version 00.
    [`00-${TRACE}-${PARENT}-fe`, false],
    [`00-${TRACE}-${PARENT}-03`, true],
    // A later version may have more fields, separated by a dash.
    [`cc-${TRACE}-${PARENT}-01`, true],
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, true],
  ])('accepts %s', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, isSampled });
  });

  it.each([
    undefined,
    null,
    '',
    [`00-${TRACE}-${PARENT}-01`],
    `00-${TRACE}-${PARENT}-01-`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    ` 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01\n`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}`,
    `0-${TRACE}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `FF-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01.more`,
    `cc-${TRACE}-${PARENT}-011`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT.toUpperCase()}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}0-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}-${PARENT.slice(1)}-01`,
    `00-${TRACE.slice(1)}g-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-0x`,
  ])('refuses %j', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });
});

describe('continueTrace', () => {
  it("keeps the caller's trace and flag, with a parent id for each call", () => {
    const trace = continueTrace(`00-${TRACE}-${PARENT}-01`, 'vendor=value,other=1');
    expect(trace).toMatchObject({ traceId: TRACE, isSampled: true, state: 'vendor=value,other=1' });
    const calls = [formatTraceparent(trace), formatTraceparent(trace)];
    for (const call of calls) expect(call).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[\\da-f]{16}-01$`));
    expect(calls[0]).not.toBe(calls[1]);
  });

  it('starts a trace without a valid one, and drops the state that belonged to it', () => {
    const [first, second] = [continueTrace('invalid', 'vendor=value'), continueTrace(undefined, undefined)];
    expect(first.state).toBeNull();
    expect(first.isSampled).toBe(false);
    expect(parseTraceparent(formatTraceparent(first))).toEqual({ traceId: first.traceId, isSampled: false });
    expect(second.traceId).not.toBe(first.traceId);
  });

  it.each(['', 'x'.repeat(513), 'vendor=a\nx-injected: 1', 'vendor=ä', ['a=1', 'b=2'], undefined])(
    'drops a state that is invalid: %j',
    (state) => {
      expect(continueTrace(`00-${TRACE}-${PARENT}-01`, state).state).toBeNull();
    },
  );
});
