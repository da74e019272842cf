import path from 'node:path';

// Tests run on slow and busy machines, so the limits of real time (lib/shared/time-limit.ts) are ten times longer in them. Tests in which
// a dependency does not respond have the limits of production, because they wait for them.

/** Environment of the programs under test. */
export const longLimits = { NODE_OPTIONS: `--require "${path.resolve('tests/support/time-limit-factor.cjs')}"` };
/** Environment of a program whose dependencies do not respond in time. */
export const productionLimits = { NODE_OPTIONS: '' };

/**
 * Sets the limits of production in this process, and in the programs that it starts from now on. Database and Redis have those of the time
 * when they were connected.
 * @returns ends that; the end of the test file does, too
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
