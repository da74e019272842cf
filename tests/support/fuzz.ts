/** How many inputs each property gets: a small share with every test run, `npm run fuzz` asks for more. */
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
