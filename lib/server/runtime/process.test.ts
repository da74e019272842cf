import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi, test } from 'vitest';
import { FairSemaphore, sleepUntil, withTimeout } from './process';

/** Tasks that are completed on demand. */
function makeWork() {
  const begun: number[] = [];
  const ends: ((failed?: Error) => void)[] = [];
  const work = (name: number) => () =>
    new Promise<number>((resolve, reject) => {
      begun.push(name);
      ends[name] = (failed) => (failed ? reject(failed) : resolve(name));
    });
  return { begun, ends, work };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('runs two tasks in parallel, queues two in order, and rejects more', async () => {
  const { begun, ends, work } = makeWork();
  const semaphore = new FairSemaphore({ maxRunning: 2, maxHeld: Infinity, maxWaiting: 2 });
  const runs = [0, 1, 2, 3].map((name) => semaphore.run('', work(name)));
  await expect(semaphore.run('', work(4))).rejects.toMatchObject({
    code: 'too-many-requests',
    options: { retryAfter: 5 },
  });
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  // A failed task must free its slot too.
  ends[0]?.(new Error('failed'));
  await expect(runs[0]).rejects.toThrow('failed');
  await settled();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  expect(await Promise.all(runs.slice(1))).toEqual([1, 2, 3]);
});

it('is free again when every task has ended', async () => {
  const { begun, ends, work } = makeWork();
  const semaphore = new FairSemaphore({ maxRunning: 1, maxHeld: Infinity, maxWaiting: 0 });
  for (const name of [0, 1]) {
    const run = semaphore.run('', work(name));
    await expect(semaphore.run('', work(9))).rejects.toMatchObject({ code: 'too-many-requests' });
    ends[name]?.();
    await run;
  }
  expect(begun).toEqual([0, 1]);
});

const fairSemaphoreSettled = () => new Promise((resolve) => setImmediate(resolve));
const refused = { code: 'too-many-requests', options: { retryAfter: 5 } };

/** Tasks that are completed on demand. */
function fairSemaphoreMakeWork() {
  const begun: string[] = [];
  const ends = new Map<string, (failed?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (failed) => (failed ? reject(failed) : resolve(name)));
    });
  const end = async (name: string, failed?: Error) => {
    ends.get(name)?.(failed);
    await fairSemaphoreSettled();
  };
  return { begun, end, work };
}

it('lets keys take turns, and refuses more than the share of one at once', async () => {
  const { begun, end, work } = fairSemaphoreMakeWork();
  const semaphore = new FairSemaphore({ maxRunning: 1, maxHeld: 3, maxWaiting: 10 });
  const runs = ['a1', 'a2', 'a3', 'b1'].map((name) => semaphore.run(name.slice(0, 1), work(name)));
  await expect(semaphore.run('a', work('a4'))).rejects.toMatchObject(refused);
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(await Promise.all(runs)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('is as before after tasks that failed, and bounds what waits over all keys', async () => {
  const { begun, end, work } = fairSemaphoreMakeWork();
  const semaphore = new FairSemaphore({ maxRunning: 1, maxHeld: 1, maxWaiting: 1 });
  for (const round of ['1', '2']) {
    const runs = ['a', 'b'].map((key) => semaphore.run(key, work(key + round)));
    await expect(semaphore.run('a', work('x'))).rejects.toMatchObject(refused);
    await expect(semaphore.run('c', work('x'))).rejects.toMatchObject(refused);
    const failed = expect(runs[0]).rejects.toThrow('failed');
    await end(`a${round}`, new Error('failed'));
    await failed;
    await end(`b${round}`);
    expect(await runs[1]).toBe(`b${round}`);
  }
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('refuses a task whose turn comes too late, and goes on with the next', async () => {
  const { begun, end, work } = fairSemaphoreMakeWork();
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const semaphore = new FairSemaphore({ maxRunning: 1, maxHeld: 2, maxWaiting: 2, maxWaitMs: 1_000 });
  const first = semaphore.run('a', work('a1'));
  const late = expect(semaphore.run('b', work('b1'))).rejects.toMatchObject(refused);
  now.mockReturnValue(500);
  const next = semaphore.run('a', work('a2'));
  now.mockReturnValue(1_001);
  await end('a1');
  await late;
  await end('a2');
  expect(await Promise.all([first, next])).toEqual(['a1', 'a2']);
  expect(begun).toEqual(['a1', 'a2']);
  now.mockRestore();
});

test('never ends early, as one of ten timers does', async () => {
  const waits = Array.from({ length: 400 }, async (_, i) => {
    await sleep(3 * i);
    const time = Date.now() + 50 + (i % 7);
    await sleepUntil(time);
    return Date.now() - time;
  });
  expect(Math.min(...(await Promise.all(waits)))).toBeGreaterThanOrEqual(0);
});

test('a time-out is told from an error of the promise that says the same', async () => {
  const endless = new Promise(() => undefined);
  expect(await withTimeout(endless, 1, () => 'late')).toBe('late');
  const refused = Promise.reject(new Error('timeout!'));
  await expect(withTimeout(refused, 1_000, () => 'late')).rejects.toThrow('timeout!');
  expect(await withTimeout(Promise.resolve('in time'), 1_000, () => 'late')).toBe('in time');
});
