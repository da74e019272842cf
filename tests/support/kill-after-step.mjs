/**
 * Counts the steps of this process, which is killed after one of them.
 * @param {number} last the number of that step
 * @returns {(name: string) => void} a function to call after each step
 */
export function killAfterStep(last) {
  let steps = 0;
  return (name) => {
    steps += 1;
    if (steps !== last) return;
    console.log(`killed after ${name}`);
    process.kill(process.pid, 'SIGKILL');
  };
}

/**
 * Wraps methods so that each call also counts as a step.
 * @param {object} target
 * @param {string[]} names
 * @param {(name: string) => void} step
 * @param {() => void} [onFailure]
 */
export function addSteps(target, names, step, onFailure) {
  const methods = /** @type {Record<string, (...args: unknown[]) => Promise<unknown>>} */ (target);
  for (const name of names) {
    const method = methods[name]?.bind(target);
    methods[name] = async (...args) => {
      const result = await method?.(...args).catch((error) => {
        onFailure?.();
        throw error;
      });
      step(name);
      return result;
    };
  }
}
