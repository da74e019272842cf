import { expect, it } from 'vitest';
import { Semaphore } from './semaphore';

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
  const semaphore = new Semaphore(2, 2);
  const runs = [0, 1, 2, 3].map((name) => semaphore.run(work(name)));
  await expect(semaphore.run(work(4))).rejects.toMatchObject({ code: 'too-many-requests', options: { retryAfter: 5 } });
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
  const semaphore = new Semaphore(1, 0);
  for (const name of [0, 1]) {
    const run = semaphore.run(work(name));
    await expect(semaphore.run(work(9))).rejects.toMatchObject({ code: 'too-many-requests' });
    ends[name]?.();
    await run;
  }
  expect(begun).toEqual([0, 1]);
});
