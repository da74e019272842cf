// Threats: remembered-browser-stolen
import { expect, test } from 'vitest';
import { getRememberedUntil } from './request';

const DAY = 86_400;
const NOW = Date.parse('2026-11-30T09:00:00.500Z') / 1000;
const at = (seconds: number) => new Date(seconds * 1000);

const ages = [-1, 0, 1, 60, 30 * DAY - 1, 30 * DAY, 31 * DAY];
/** Times of a revocation, relative to when the browser was remembered. Null for none. */
const revocations = [null, -DAY, -2, 0, 0.4, 2, DAY];
const cases = ages.flatMap((age) => revocations.map((revoked) => ({ age, revoked })));

test.each(cases)('remembered $age s ago, all sign-ins revoked $revoked s after that', ({ age, revoked }) => {
  const rememberedAt = at(NOW - age);
  // The provider stores whole seconds.
  const validSince = revoked === null ? 0 : Math.floor(NOW - age + revoked);
  const until = getRememberedUntil({ rememberedAt, validSince, now: at(NOW) });
  const isInTime = age >= 0 && age < 30 * DAY;
  const isRevoked = revoked !== null && revoked >= 0;
  expect(until).toEqual(isInTime && !isRevoked ? at(NOW - age + 30 * DAY) : null);
});

test('one that was never remembered is not', () => {
  expect(getRememberedUntil({ rememberedAt: null, validSince: 0, now: at(NOW) })).toBeNull();
});
