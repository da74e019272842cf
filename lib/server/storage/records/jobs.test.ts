import { describe, expect, it } from 'vitest';
import { decideRetry, GIVE_UP_AFTER_SECONDS } from './jobs';

const DAY = 86_400;

describe('a failed job', () => {
  it.each([
    [1, 10],
    [2, 60],
    [3, 300],
    [4, 900],
    [5, 3_600],
    [6, 3_600],
    [60, 3_600],
  ])('after attempt %i is sent again in %i s', (attempts, delay) => {
    expect(decideRetry({ attempts, ageSeconds: 0 }, GIVE_UP_AFTER_SECONDS)).toBe(delay);
  });

  it.each([1, 60])('is given up when attempt %i would be followed by one after three days', (attempts) => {
    const at = (ageSeconds: number) => decideRetry({ attempts, ageSeconds }, GIVE_UP_AFTER_SECONDS);
    const delay = at(0) ?? 0;
    expect(at(3 * DAY - delay)).toBe(delay);
    expect(at(3 * DAY - delay + 1)).toBeNull();
  });

  it('is tried for three days, at most once an hour in the end', () => {
    let [attempts, age] = [1, 0];
    for (let delay = decideRetry({ attempts, ageSeconds: 0 }, GIVE_UP_AFTER_SECONDS); delay !== null; attempts += 1) {
      age += delay;
      delay = decideRetry({ attempts: attempts + 1, ageSeconds: age }, GIVE_UP_AFTER_SECONDS);
    }
    expect(age).toBeGreaterThan(3 * DAY - 3_600);
    expect(age).toBeLessThanOrEqual(3 * DAY);
    expect(attempts).toBeLessThan(80);
  });
});
