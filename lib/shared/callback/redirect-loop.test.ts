import fc from 'fast-check';
import { expect, test } from 'vitest';
import { REDIRECT_WINDOW_MS, detectRedirectLoop } from './redirect-loop';

const start = Date.parse('2026-05-01T12:00:00Z');

/** Simulates a redirect at each of these times. @returns whether each was detected as a loop */
function handOver(times: number[]): boolean[] {
  let remembered: string | undefined;
  return times.map((time) => {
    const { looping, next } = detectRedirectLoop(remembered, start + time);
    if (!looping) remembered = next;
    return looping;
  });
}

test('three redirects within the window are a loop', () => {
  expect(handOver([0, 1_000, 2_000, 3_000, 4_000])).toEqual([false, false, false, true, true]);
});

test('redirects are allowed again after the window', () => {
  expect(handOver([0, 1_000, 2_000, 2_000 + REDIRECT_WINDOW_MS])).toEqual([false, false, false, false]);
});

test('slow returns are not a loop', () => {
  expect(handOver([0, 20_000, 40_000, 60_000, 80_000])).not.toContain(true);
});

test.each([
  '',
  '.',
  'NaN',
  '1e99',
  '-5',
  '../../',
  '9'.repeat(190),
  '1.'.repeat(500),
  '%00',
  'Infinity.Infinity.Infinity',
])('ignores the invalid cookie "%.20s"', (remembered) => {
  expect(detectRedirectLoop(remembered, start)).toEqual({ looping: false, next: String(start) });
});

test('accepts any cookie, and its own stays short', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (remembered, now) => {
      const { next } = detectRedirectLoop(remembered, now);
      return next.length <= 60 && /^[\d.]+$/.test(next);
    }),
  );
});
