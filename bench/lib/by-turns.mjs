/**
 * Measures two pages alternately: a slow moment of the machine is then in both. The first round is only a warm-up.
 * @template T
 * @param {number} rounds
 * @param {() => Promise<T>} ours
 * @param {() => Promise<T>} theirs
 * @returns {Promise<[T[], T[]]>}
 */
export async function byTurns(rounds, ours, theirs) {
  /** @type {[T[], T[]]} */
  const results = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await ours(), await theirs()];
    if (round > 0) results.forEach((list, side) => list.push(/** @type {T} */ (pair[side])));
  }
  return results;
}
