// Threats: factor-lock-out, interleaved-change
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withAccountLock } from '@/lib/server/identity/change-account';

/** As long as a change takes with a provider that is far away. */
const slowly = () => sleep(150);

/** Changes of a session without a pause. @returns how to end them, and how many were refused */
function flood(uid: string, session: string): () => Promise<number> {
  let isOver = false;
  const changing = Array.from({ length: 60 }, async () => {
    let refused = 0;
    while (!isOver) {
      await withAccountLock(uid, slowly, { session }).catch(() => {
        refused += 1;
        return sleep(20);
      });
    }
    return refused;
  });
  return async () => {
    isOver = true;
    return (await Promise.all(changing)).reduce((sum, count) => sum + count);
  };
}

it.each([
  ['a proof of the mailbox', undefined],
  ['another session', { session: 'of the owner' }],
])(
  'a session of an account cannot keep %s waiting',
  async (_, owner) => {
    const end = flood('owner', 'of an intruder');
    await sleep(300);
    for (let time = 0; time < 3; time += 1) {
      const begin = performance.now();
      await withAccountLock('owner', slowly, owner);
      expect(performance.now() - begin).toBeLessThan(2_000);
    }
    expect(await end()).toBeGreaterThan(0);
  },
  30_000,
);

it('two changes of a session take turns, and other accounts do not wait', async () => {
  const order: string[] = [];
  const change = (uid: string, name: string) =>
    withAccountLock(uid, async () => void (await slowly(), order.push(name)), { session: 'one' });
  await Promise.all([change('mia', 'first'), change('mia', 'second'), change('noah', 'other')]);
  expect(order.filter((name) => name !== 'other')).toEqual(['first', 'second']);
  expect(order.indexOf('other')).toBeLessThan(2);
});
