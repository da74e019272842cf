import { expect, test } from 'vitest';
import { runInOrder } from './test-schedule.mjs';

type Step = { name: string; after?: string; length?: number };

/** Runs the steps, and records when each starts and ends. */
async function trace(steps: Step[], width: number): Promise<string[]> {
  const events: string[] = [];
  await runInOrder(
    steps,
    async ({ name, length = 1 }) => {
      events.push(`+${name}`);
      for (let i = 0; i < length * 4; i += 1) await nextTurn();
      events.push(`-${name}`);
    },
    isNarrower(width),
  );
  return events;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const isNarrower = (width: number) => async (running: number) => {
  await nextTurn();
  return running < width;
};

test('a step starts only when there is room for it, in order', async () => {
  expect(await trace([{ name: 'a', length: 5 }, { name: 'b' }, { name: 'c' }], 2)).toEqual([
    ...['+a', '+b', '-b', '+c', '-c', '-a'],
  ]);
});

test('a step waits for the one it needs, and lets later ones pass', async () => {
  const steps = [{ name: 'build', length: 5 }, { name: 'browser', after: 'build' }, { name: 'lint' }, { name: 'unit' }];
  expect(await trace(steps, 2)).toEqual([
    ...['+build', '+lint', '-lint', '+unit', '-unit', '-build', '+browser', '-browser'],
  ]);
});

test('a step does not wait for one that was not chosen', async () => {
  expect(await trace([{ name: 'browser', after: 'build' }], 1)).toEqual(['+browser', '-browser']);
});

test('outcomes are in the order of the steps', async () => {
  const steps = [{ name: 'slow', length: 5 }, { name: 'fast' }];
  const outcomes = await runInOrder<Step, string>(steps, ({ name }) => Promise.resolve(name), isNarrower(2));
  expect(outcomes).toEqual(['slow', 'fast']);
});
