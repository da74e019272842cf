/** Number of inputs for each property: few with every test run, `npm run fuzz` uses more. */
export const RUNS = Number(process.env.FUZZ_RUNS ?? 400);

let inputs = 0;

/** Settings of one property, counted. */
export function runs(count = RUNS): { numRuns: number } {
  inputs += count;
  return { numRuns: count };
}

export function sayHowMany(): void {
  console.log(`${inputs} generated inputs`);
}
