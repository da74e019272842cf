import { expect, test } from 'vitest';
import { runInOrder } from './test-schedule.mjs';

type Step = { name: string; after?: string; length?: number };

/** Runs the steps, and records when each starts and ends. */
async function trace(steps: Step[], width: number): Promise<string[]> {
  const events: string[] = [];
  await runInOrder(steps, width, async ({ name, length = 1 }) => {
    events.push(`+${name}`);
    for (let i = 0; i < length; i += 1) await new Promise((resolve) => setImmediate(resolve));
    events.push(`-${name}`);
  });
  return events;
}

test('at most the given number of steps run at a time, in order', async () => {
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
  expect(await runInOrder<Step, string>(steps, 2, ({ name }) => Promise.resolve(name))).toEqual(['slow', 'fast']);
});
