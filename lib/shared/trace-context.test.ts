import { describe, expect, it } from 'vitest';
import { continueTrace, formatTraceparent, parseTraceparent } from './trace-context';

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
