/**
 * Measures two things alternately. Each round begins with the other thing, so that a slow moment of the machine affects
 * both.
 * @template T
 * @param {number} rounds
 * @param {() => Promise<T>} ours
 * @param {() => Promise<T>} theirs
 * @param {number} [warmUp] rounds that are measured first, and left out
 * @returns {Promise<[T[], T[]]>}
 */
export async function byTurns(rounds, ours, theirs, warmUp = 1) {
  /** @type {[T[], T[]]} */
  const results = [[], []];
  const sides = /** @type {const} */ ([
    [ours, results[0]],
    [theirs, results[1]],
  ]);
  for (let round = 0; round < warmUp + rounds; round += 1)
    for (const [measure, list] of round % 2 ? sides.toReversed() : sides) {
      const result = await measure();
      if (round >= warmUp) list.push(result);
    }
  return results;
}
