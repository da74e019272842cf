// Threats: account-lock, factor-lock-out, interleaved-change
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { withAccountLock } from '@/lib/server/storage/account-lock';
import { getRecords } from '@/lib/server/storage/records';
import { accountLocks } from '@/lib/server/storage/records/schema';
import { hasAccountRecords, queueWrite } from '@/lib/server/storage/records/events';
import { endLock, loadLockOfOtherProcess, readLock, takeLock } from '../support/account-lock';
import { findWaitsForItself } from '../support/own-turn';
import { takeRecordsAway } from '../support/records-away';
import { schedule } from '../support/deletions';

/** Changes of one session while another waits. */
const MAX_BETWEEN = 5;
/** As long as a change takes with a provider that is far away. */
const slowly = () => sleep(150);

/** Changes of a session without a pause. */
function flood(uid: string, session: string, lock = withAccountLock) {
  let isOver = false;
  let begun = 0;
  const change = () => {
    begun += 1;
    return slowly();
  };
  const changing = Array.from({ length: 60 }, async () => {
    let refused = 0;
    while (!isOver) {
      await lock(uid, change, { session }).catch(() => {
        refused += 1;
        return sleep(20);
      });
    }
    return refused;
  });
  return {
    countBegun: () => begun,
    /** @returns how many were refused */
    end: async () => {
      isOver = true;
      return (await Promise.all(changing)).reduce((sum, count) => sum + count);
    },
  };
}

it.each([
  ['a proof of the mailbox', undefined],
  ['another session', { session: 'of the owner' }],
])('a session of an account cannot keep %s waiting', async (_, owner) => {
  const intruder = flood('owner', 'of an intruder');
  await expect.poll(intruder.countBegun).toBeGreaterThan(1);
  for (let time = 0; time < 3; time += 1) {
    const before = intruder.countBegun();
    await withAccountLock('owner', slowly, owner);
    expect(intruder.countBegun() - before).toBeLessThan(MAX_BETWEEN);
  }
  expect(await intruder.end()).toBeGreaterThan(0);
});

it('a change whose lock was lost goes no further, also once the lock is free again', async () => {
  const change = withAccountLock('frozen', async (locked) => {
    await locked.assertHeld();
    // The process was frozen for longer than the lock lasts, and another one has made its change.
    await endLock('frozen');
    await locked.assertHeld();
  });
  await expect(change).rejects.toMatchObject({ code: 'provider-unavailable' });
  expect(await readLock('frozen')).toBeNull();
  const released = await withAccountLock('frozen', (locked) => Promise.resolve(locked));
  await expect(released.assertHeld()).rejects.toMatchObject({ code: 'provider-unavailable' });
});

it('a process that was frozen while it asked for its lock changes nothing', async () => {
  const records = await getRecords();
  const change = withAccountLock('asked', async (locked) => {
    const real = records.query.bind(records);
    vi.spyOn(records, 'query').mockImplementationOnce(async (work) => {
      const answer = await real(work);
      // The lock has expired before the process reads that it had it.
      await takeLock('asked');
      const now = performance.now() + 17_000;
      vi.spyOn(performance, 'now').mockReturnValueOnce(now);
      return answer;
    });
    await locked.assertHeld();
  });
  await expect(change).rejects.toMatchObject({ code: 'provider-unavailable' });
});

it('changes of a session in another process do not keep the owner waiting', async () => {
  const intruder = flood('elsewhere', 'of an intruder', await loadLockOfOtherProcess());
  await expect.poll(intruder.countBegun).toBeGreaterThan(1);
  for (let time = 0; time < 3; time += 1) {
    const before = intruder.countBegun();
    await withAccountLock('elsewhere', slowly);
    expect(intruder.countBegun() - before).toBeLessThan(MAX_BETWEEN);
  }
  await intruder.end();
});

it('a change whose lock was lost while its write waited grants nothing', async () => {
  let goOn = () => undefined as void;
  const held = queueWrite('late', () => new Promise<void>((resolve) => (goOn = resolve)));
  const change = withAccountLock('late', async (locked) => {
    const writing = schedule(await getRecords(), { uid: 'late', email: 'late@campus.test' }, locked);
    // While it waits, another process makes its change.
    await takeLock('late');
    goOn();
    return writing;
  });
  await expect(change).rejects.toMatchObject({ code: 'provider-unavailable' });
  await held;
  expect(await hasAccountRecords(await getRecords(), 'late')).toBe(false);
});

it('a change that takes long keeps its lock, and ends no other', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let answer = () => undefined as void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const change = withAccountLock('slow', () => answered);
  await vi.waitFor(async () => expect(await readLock('slow')).not.toBeNull());
  for (let time = 0; time < 3; time += 1) {
    const before = await readLock('slow');
    await vi.advanceTimersByTimeAsync(5_000);
    await vi.waitFor(async () =>
      expect(Number((await readLock('slow'))?.expiresAt)).toBeGreaterThan(Number(before?.expiresAt)),
    );
  }
  // As if this process had stood still for longer than the lock lasts, and another had gone on.
  const other = await takeLock('slow');
  await vi.advanceTimersByTimeAsync(5_000);
  answer();
  await change;
  expect((await readLock('slow'))?.holder).toBe(other);
  vi.useRealTimers();
});

it('the lock of a process that died is taken when it expires', async () => {
  await takeLock('died', 1);
  await withAccountLock('died', (locked) => locked.assertHeld());
  expect(await readLock('died')).toBeNull();
});

it('while the database is away, a change can revoke, and grants nothing', async () => {
  const bringBack = await takeRecordsAway();
  const revoke = vi.fn<() => Promise<void>>().mockResolvedValue();
  const change = withAccountLock('away', async (locked) => {
    await revoke();
    await locked.assertHeld();
  });
  await expect(change).rejects.toMatchObject({ code: 'records-unavailable' });
  expect(revoke).toHaveBeenCalledOnce();
  bringBack();
  // It began during the outage, and another process may have the lock since.
  const stillAway = await takeRecordsAway();
  const late = withAccountLock('away', async (locked) => {
    stillAway();
    await locked.assertHeld();
  });
  await expect(late).rejects.toMatchObject({ code: 'provider-unavailable' });
});

it('a lock that has expired and that no other process took is extended', async () => {
  const records = await getRecords();
  await withAccountLock('expired', async (locked) => {
    await records.query((tx) => tx.update(accountLocks).set({ expiresAt: new Date(0) }));
    await records.transact((tx) => locked.assertHeld(tx));
    expect(Number((await readLock('expired'))?.expiresAt)).toBeGreaterThan(Date.now());
  });
});

it('two changes of a session take turns, and other accounts do not wait', async () => {
  const order: string[] = [];
  const change = (uid: string, name: string) =>
    withAccountLock(uid, async () => void (await slowly(), order.push(name)), { session: 'one' });
  await Promise.all([change('mia', 'first'), change('mia', 'second'), change('noah', 'other')]);
  expect(order.filter((name) => name !== 'other')).toEqual(['first', 'second']);
  expect(order.indexOf('other')).toBeLessThan(2);
});

it('what a change has started and not awaited waits for its turn once the change is over', async () => {
  const order: string[] = [];
  let late: Promise<unknown> = Promise.resolve();
  await withAccountLock('mia', async (locked) => {
    late = sleep(50).then(() => withAccountLock('mia', () => Promise.resolve(order.push('late'))));
    await withAccountLock(locked, () => Promise.resolve(order.push('within')));
  });
  await withAccountLock('mia', async () => void (await slowly(), order.push('next')));
  await late;
  expect(order).toEqual(['within', 'next', 'late']);
});

it('a change that asks by the id for the lock that it has is refused in tests', async () => {
  const waits = findWaitsForItself();
  const change = withAccountLock('twice', () => withAccountLock('twice', () => Promise.resolve()));
  await expect(change).rejects.toThrow('A change waits for the lock that it has');
  expect(waits.size).toBe(1);
});
