/**
 * Counts the steps of this process, which is killed after one of them.
 * @param {number} last the number of that step
 * @returns {(name: string) => void} called after each step
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
