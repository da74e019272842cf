/** Number of inputs for each property. A normal run uses few, and `npm run fuzz` uses more. */
export const RUNS = Number(process.env.FUZZ_RUNS ?? 400);

/** Settings of one property. */
export const runs = (numRuns = RUNS) => ({ numRuns });
