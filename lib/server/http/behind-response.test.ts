import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runBehindResponse } from './behind-response';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const begin = async (res: EventEmitter) => {
  const work = vi.fn(() => Promise.resolve());
  const before = () => Promise.resolve();
  await runBehindResponse(res as ServerResponse, 'a test', { before, work });
  return work;
};
const openResponse = () => Object.assign(new EventEmitter(), { closed: false });

it('waits for the response', async () => {
  const res = openResponse();
  const work = await begin(res);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).not.toHaveBeenCalled();
  res.emit('close');
  await vi.advanceTimersByTimeAsync(0);
  expect(work).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it('waits for 2 seconds at most: a client that does not read keeps no place in the queue', async () => {
  const work = await begin(openResponse());
  await vi.advanceTimersByTimeAsync(2_000);
  expect(work).toHaveBeenCalledOnce();
});
