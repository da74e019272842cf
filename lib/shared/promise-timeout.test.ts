import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { promiseTimeout } from './promise-timeout';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('rejects with timeout! after 2000 ms', async () => {
  const outcome = promiseTimeout(new Promise(() => undefined)).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome).toEqual(new Error('timeout!'));
});

it('returns the result in time and clears the timer', async () => {
  expect(await promiseTimeout(Promise.resolve('in time'))).toBe('in time');
  await expect(promiseTimeout(Promise.reject(new Error('own')))).rejects.toThrow('own');
  expect(vi.getTimerCount()).toBe(0);
});
