import path from 'node:path';

// Tests run on slow and busy machines, so their limits of real time (lib/shared/time-limit.ts) are ten times longer.
// Tests in which a dependency does not respond wait for the limit, so they use production limits.

/** Environment of the programs under test. */
export const longLimits = { NODE_OPTIONS: `--require "${path.resolve('tests/support/time-limit-factor.cjs')}"` };
/** Environment of a program whose dependencies do not respond in time. */
export const productionLimits = { NODE_OPTIONS: '' };

/**
 * Sets production limits in this process and in programs that it starts from now on. Connections to the database and
 * Redis keep their earlier limits.
 * @returns a function that ends this; the end of the test file also does
 */
export function setProductionLimits(): () => void {
  const before = globalThis.timeLimitFactor;
  globalThis.timeLimitFactor = undefined;
  Object.assign(process.env, productionLimits);
  return () => {
    globalThis.timeLimitFactor = before;
    Object.assign(process.env, longLimits);
  };
}
