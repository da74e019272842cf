import { expect, it, vi } from 'vitest';
import { FairSemaphore } from './fair-semaphore';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const refused = { code: 'too-many-requests', options: { retryAfter: 5 } };

/** Tasks that are completed on demand. */
function makeWork() {
  const begun: string[] = [];
  const ends = new Map<string, (failed?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (failed) => (failed ? reject(failed) : resolve(name)));
    });
  const end = async (name: string, failed?: Error) => {
    ends.get(name)?.(failed);
    await settled();
  };
  return { begun, end, work };
}

it('lets keys take turns, and refuses more than the share of one at once', async () => {
  const { begun, end, work } = makeWork();
  const semaphore = new FairSemaphore({ maxRunning: 1, maxHeld: 3, maxWaiting: 10 });
  const runs = ['a1', 'a2', 'a3', 'b1'].map((name) => semaphore.run(name.slice(0, 1), work(name)));
  await expect(semaphore.run('a', work('a4'))).rejects.toMatchObject(refused);
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(await Promise.all(runs)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('is as before after tasks that failed, and bounds what waits over all keys', async () => {
  const { begun, end, work } = makeWork();
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
  const { begun, end, work } = makeWork();
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
