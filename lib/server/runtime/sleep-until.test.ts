import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sleepUntil } from './sleep-until';

test('never ends early, as one of ten timers does', async () => {
  const waits = Array.from({ length: 400 }, async (_, i) => {
    await sleep(3 * i);
    const time = Date.now() + 50 + (i % 7);
    await sleepUntil(time);
    return Date.now() - time;
  });
  expect(Math.min(...(await Promise.all(waits)))).toBeGreaterThanOrEqual(0);
});
