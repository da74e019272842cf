import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { runBehindResponse } from './behind-response';

Object.assign(process.env, { LOG_LEVEL: 'silent' });
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const begin = async (res: EventEmitter, network = 'a') => {
  const work = vi.fn(() => Promise.resolve());
  const before = () => Promise.resolve();
  await runBehindResponse(res as ServerResponse, { during: 'a test', network, before, work });
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

it.each<[ProblemCode, reports: number]>([
  ['bad-request', 0],
  ['too-many-requests', 0],
  ['mail-unavailable', 0],
  ['password-weak', 1],
  ['user-deleted', 1],
  ['provider-unavailable', 1],
])('work that fails with %s is reported %i times', async (code, reports) => {
  const sink = vi.fn();
  connectErrorSink(sink);
  const work = () => Promise.reject(new ApiProblem(code));
  const res = Object.assign(openResponse(), { closed: true }) as unknown as ServerResponse;
  await runBehindResponse(res, { during: 'a test', network: 'a', before: () => Promise.resolve(), work });
  await vi.advanceTimersByTimeAsync(0);
  expect(sink).toHaveBeenCalledTimes(reports);
});

describe('a network with much work', () => {
  /** Sends responses of one network whose work ends on demand. */
  const fill = async (network: string, count: number) => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const add = async (of: string) => {
      const res = openResponse();
      const work = () =>
        new Promise<void>((resolve) => {
          begun.push(of);
          ends.push(resolve);
        });
      await runBehindResponse(res as unknown as ServerResponse, {
        during: 'a test',
        network: of,
        before: () => Promise.resolve(),
        work,
      });
      res.emit('close');
      await vi.advanceTimersByTimeAsync(0);
    };
    for (let added = 0; added < count; added += 1) await add(network);
    const endAll = async () => {
      for (let end = ends.shift(); end; end = ends.shift()) {
        end();
        await vi.advanceTimersByTimeAsync(0);
      }
    };
    return { add, begun, endNext: () => ends.shift()?.(), endAll };
  };

  it('is refused more than its share, and delays the work of others by its own that runs', async () => {
    const { add, begun, endNext, endAll } = await fill('many', 100);
    await expect(add('many')).rejects.toMatchObject({ code: 'too-many-requests' });
    await add('few');
    expect(begun).toHaveLength(8);
    endNext();
    endNext();
    await vi.advanceTimersByTimeAsync(0);
    expect(begun.slice(8)).toEqual(['many', 'few']);
    await endAll();
    expect(begun).toHaveLength(101);
    await add('many');
    await endAll();
  });

  it('gets a place back when what comes before the response has failed', async () => {
    const failing = () =>
      runBehindResponse(openResponse() as unknown as ServerResponse, {
        during: 'a test',
        network: 'failing',
        before: () => Promise.reject(new Error('no database')),
        work: () => Promise.resolve(),
      });
    for (let calls = 0; calls < 101; calls += 1) await expect(failing()).rejects.toThrow('no database');
  });
});
