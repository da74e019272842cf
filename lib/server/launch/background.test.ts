import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { startRounds } from './background';

it('a round is no part of what wakes it', async () => {
  const held = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const wake = startRounds(() => Promise.resolve(void seen.push(held.getStore())));
  held.run('the lock of an account', wake);
  await expect.poll(() => seen.length).toBe(2);
  expect(seen).toEqual([undefined, undefined]);
});
