import { median } from './median.mjs';

/**
 * @typedef {{ known: number[], unknown: number[] }} Times milliseconds by kind of address. Pairs of equal index were
 *   measured in succession, in random order
 * @typedef {{ known: number, unknown: number }} Medians
 * @typedef {{ difference: number, guessed: number }} Figures `difference`: of the medians, as a share of the smaller
 *   one. `guessed`: share of right guesses, 0.5 by chance
 * @typedef {'alike' | 'differ' | 'undecided'} Verdict
 */

/** @type {Figures} */
const LIMITS = { difference: 0.05, guessed: 0.55 };

// The limits allow for chance. A threshold is trained on half of the samples and judged on the other half, where chance
// guesses 50 % right. Trained and judged on the same 400 samples, the best of 800 rules would guess 54 % right without
// any difference. Even so, 400 guesses scatter by 2.5 % around 50 %, and medians of a busy machine scatter by more than
// the limit. So the figures are compared with the same samples after their labels were shuffled within each pair, which
// shows how no difference looks. A call over a limit differs if fewer than 1 % of the shuffles exceed the limit as
// much. Otherwise these samples cannot decide, and the call does not pass. The number of samples is fixed beforehand,
// because continuing until a round is within the limits favors a pass.
const SHUFFLES = 1_000;
const BY_CHANCE = 0.99;

/**
 * Measures how well the times tell known and unknown addresses apart.
 * @param {Times} times
 * @param {() => number} random from 0 to 1
 * @returns {Figures & { medians: Medians, chance: Figures, verdict: Verdict }} `chance`: what 99 of 100 shuffles do not
 *   exceed
 */
export function tellApart(times, random = Math.random) {
  const medians = getMedians(times);
  const found = compare(times);
  const shuffled = Array.from({ length: SHUFFLES }, () => compare(shuffle(times, random)));
  /** @param {keyof Figures} figure */
  const getChance = (figure) => {
    const sorted = shuffled.map((figures) => figures[figure]).sort((a, b) => a - b);
    return sorted[Math.ceil(SHUFFLES * BY_CHANCE) - 1] ?? Number.NaN;
  };
  const chance = { difference: getChance('difference'), guessed: getChance('guessed') };
  return { medians, ...found, chance, verdict: decide(found, chance) };
}

/** @param {Figures} found @param {Figures} chance @returns {Verdict} */
function decide(found, chance) {
  const over = /** @type {const} */ (['difference', 'guessed']).filter((figure) => !(found[figure] <= LIMITS[figure]));
  if (over.length === 0) return 'alike';
  return over.some((figure) => !(found[figure] <= chance[figure])) ? 'differ' : 'undecided';
}

/** @param {Times} times @returns {Medians} */
function getMedians({ known, unknown }) {
  return { known: median(known), unknown: median(unknown) };
}

/** @param {Times} times @returns {Figures} */
function compare(times) {
  const { known, unknown } = getMedians(times);
  return { difference: Math.abs(known - unknown) / Math.min(known, unknown), guessed: guess(times) };
}

/** @param {Times} times @param {() => number} random @returns {Times} */
function shuffle({ known, unknown }, random) {
  const swapped = known.map(() => random() < 0.5);
  const pick = (/** @type {number[]} */ own, /** @type {number[]} */ other) =>
    own.map((value, i) => (swapped[i] ? (other[i] ?? value) : value));
  return { known: pick(known, unknown), unknown: pick(unknown, known) };
}

/**
 * Trains a threshold on half of the samples and guesses the other half, then swaps the halves. Samples are in the order
 * of their measurement, so alternating halves have the same load.
 * @param {Times} times
 * @returns {number} share of right guesses
 */
function guess({ known, unknown }) {
  const halves = [0, 1].map((half) => {
    const pick = (/** @type {number[]} */ values) => values.filter((_, i) => i % 2 === half);
    return { known: pick(known), unknown: pick(unknown) };
  });
  const [first, second] = halves;
  if (!first || !second) throw new Error('There are two halves');
  return (score(train(first), second) + score(train(second), first)) / 2;
}

/** @typedef {{ threshold: number, isKnownSlower: boolean }} Rule */

/** Finds the rule that guesses most samples right, slower or faster. @param {Times} times @returns {Rule} */
function train({ known, unknown }) {
  const all = [
    ...known.map((value) => ({ value, step: -1 / known.length })),
    ...unknown.map((value) => ({ value, step: 1 / unknown.length })),
  ].sort((a, b) => a.value - b.value);
  // The share of known samples slower than the threshold, minus the share of unknown ones.
  let lead = 0;
  let best = { threshold: Number.NEGATIVE_INFINITY, lead };
  for (const [i, { value, step }] of all.entries()) {
    lead += step;
    // Equal times belong to the same side.
    if (all[i + 1]?.value !== value && Math.abs(lead) > Math.abs(best.lead)) best = { threshold: value, lead };
  }
  return { threshold: best.threshold, isKnownSlower: best.lead >= 0 };
}

/** @param {Rule} rule @param {Times} times @returns {number} share of right guesses, both kinds counting the same */
function score({ threshold, isKnownSlower }, { known, unknown }) {
  const slower = (/** @type {number[]} */ values) => values.filter((value) => value > threshold).length / values.length;
  const right = (slower(known) + 1 - slower(unknown)) / 2;
  return isKnownSlower ? right : 1 - right;
}
