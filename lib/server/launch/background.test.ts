import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { Signal } from '@/lib/server/runtime';
import { runRounds } from './background';

it('a round is no part of what wants it', async () => {
  const held = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const wanted = new Signal();
  void runRounds(
    () => Promise.resolve(void seen.push(held.getStore())),
    (ms) => wanted.wait(ms),
  );
  await expect.poll(() => seen.length).toBe(1);
  held.run('the request of a visitor', () => wanted.set());
  await expect.poll(() => seen.length).toBe(2);
  expect(seen).toEqual([undefined, undefined]);
});

it('a round that is wanted while one runs follows at once, and once', async () => {
  let begun = 0;
  let end = () => undefined as void;
  const wanted = new Signal();
  const work = () => {
    begun += 1;
    return new Promise<void>((resolve) => (end = resolve));
  };
  void runRounds(work, (ms) => wanted.wait(ms));
  wanted.set();
  wanted.set();
  end();
  await expect.poll(() => begun).toBe(2);
  end();
  await expect(expect.poll(() => begun, { timeout: 300 }).toBe(3)).rejects.toThrow();
});

it('a round that fails is followed by another', async () => {
  let begun = 0;
  void runRounds(
    () => Promise.reject(new Error(`round ${String((begun += 1))}`)),
    () => (begun < 2 ? Promise.resolve() : new Promise(() => undefined)),
  );
  await expect.poll(() => begun).toBe(2);
});
