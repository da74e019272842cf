import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** A step that starts shows what it needs only after a while. */
const SAMPLE_MS = 4_000;
/** Share of the CPU that must be idle for another step. */
const MIN_IDLE = 0.1;

/**
 * Runs steps in order. A step that waits for another one lets later ones pass.
 * @template {{ name: string, after?: string }} S
 * @template O
 * @param {S[]} steps `after`: a step that must have ended before, if it is one of them
 * @param {(step: S) => Promise<O>} work
 * @param {(running: number) => Promise<boolean>} hasRoom whether another step may start beside those that run; not
 *   asked while none runs
 * @returns {Promise<O[]>} in the order of the steps
 */
export async function runInOrder(steps, work, hasRoom = hasIdleCpu) {
  const waiting = [...steps];
  /** @type {Map<string, O>} */
  const outcomes = new Map();
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  const isReady = (/** @type {S} */ { after }) =>
    after === undefined || outcomes.has(after) || !steps.some(({ name }) => name === after);
  while (waiting.length > 0 || running.size > 0) {
    if (!waiting.some(isReady)) {
      await Promise.race(running);
      continue;
    }
    if (running.size > 0 && !(await hasRoom(running.size))) continue;
    const step = waiting.find(isReady);
    if (!step) continue;
    waiting.splice(waiting.indexOf(step), 1);
    const done = work(step).then((outcome) => {
      outcomes.set(step.name, outcome);
      running.delete(done);
    });
    running.add(done);
  }
  return steps.map(({ name }) => /** @type {O} */ (outcomes.get(name)));
}

/**
 * The width follows what the machine has to spare, not a constant: half of the steps mostly wait, and other programs may
 * be at work.
 * @param {number} running
 */
async function hasIdleCpu(running) {
  if (running < os.availableParallelism()) return true;
  const before = sumCpuTimes();
  await sleep(SAMPLE_MS);
  const after = sumCpuTimes();
  return (after.idle - before.idle) / (after.all - before.all) > MIN_IDLE;
}

function sumCpuTimes() {
  const times = os.cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce((sum, each) => sum + each.idle + each.user + each.sys + each.nice + each.irq, 0);
  return { idle, all };
}
