/**
 * Runs steps in order, at most `width` at a time. A step that waits for another one lets later ones pass.
 * @template {{ name: string, after?: string }} S
 * @template O
 * @param {S[]} steps `after`: a step that must have ended before, if it is one of them
 * @param {number} width
 * @param {(step: S) => Promise<O>} work
 * @returns {Promise<O[]>} in the order of the steps
 */
export async function runInOrder(steps, width, work) {
  const waiting = [...steps];
  /** @type {Map<string, O>} */
  const outcomes = new Map();
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  const isReady = (/** @type {S} */ { after }) =>
    after === undefined || outcomes.has(after) || !steps.some(({ name }) => name === after);
  while (waiting.length > 0 || running.size > 0) {
    const step = running.size < width ? waiting.find(isReady) : undefined;
    if (!step) {
      await Promise.race(running);
      continue;
    }
    waiting.splice(waiting.indexOf(step), 1);
    const done = work(step).then((outcome) => {
      outcomes.set(step.name, outcome);
      running.delete(done);
    });
    running.add(done);
  }
  return steps.map(({ name }) => /** @type {O} */ (outcomes.get(name)));
}
