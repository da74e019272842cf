import { median } from './median.mjs';

/** @typedef {{ known: number[], unknown: number[] }} Times milliseconds by kind of address */

/** Shares: the difference of the medians, and right guesses. */
const MAX_MEDIAN_DIFFERENCE = 0.05;
const MAX_GUESSED = 0.55;

/**
 * How well the times tell known and unknown addresses apart.
 * @param {Times} times
 * @returns {{ medians: { known: number, unknown: number }, difference: number, guessed: number, isAlike: boolean }}
 *   `difference`: of the medians, as a share of the smaller; `guessed`: share of right guesses, 0.5 by chance
 */
export function tellApart(times) {
  const medians = { known: median(times.known), unknown: median(times.unknown) };
  const difference = Math.abs(medians.known - medians.unknown) / Math.min(medians.known, medians.unknown);
  const guessed = guess(times);
  return { medians, difference, guessed, isAlike: difference <= MAX_MEDIAN_DIFFERENCE && guessed <= MAX_GUESSED };
}

/**
 * Trains a threshold on one half of the samples and guesses the other half, then the other way round. Samples come in
 * the order in which they were measured: alternating halves meet the same load.
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

/** The rule that guesses most samples right, slower or faster. @param {Times} times @returns {Rule} */
function train(times) {
  const rules = [...times.known, ...times.unknown].flatMap((threshold) =>
    [true, false].map((isKnownSlower) => ({ threshold, isKnownSlower })),
  );
  const best = rules.map((rule) => ({ rule, right: score(rule, times) })).sort((a, b) => b.right - a.right)[0];
  if (!best) throw new Error('No samples');
  return best.rule;
}

/** @param {Rule} rule @param {Times} times @returns {number} share of right guesses, both kinds counting the same */
function score({ threshold, isKnownSlower }, { known, unknown }) {
  const slower = (/** @type {number[]} */ values) => values.filter((value) => value > threshold).length / values.length;
  const right = (slower(known) + 1 - slower(unknown)) / 2;
  return isKnownSlower ? right : 1 - right;
}
