/**
 * Measures two things by turns, and each round begins with the other one: a slow moment of the machine is then in both.
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
