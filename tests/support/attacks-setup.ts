import type { TestProject } from 'vitest/node';
import { startStack, type Endpoints } from '../../scripts/lib/stack.mjs';
import { longLimits } from './time-limits';

declare module 'vitest' {
  interface ProvidedContext {
    endpoints: Endpoints;
    /** File with the app's output. */
    appLog: string;
  }
}

/** Starts the built app with all its services, on free ports. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // For all apps of the run, each of which all its tests call from one client network; proof-of-work.* have it on.
  Object.assign(process.env, longLimits, { PROOF_OF_WORK: '0' });
  const env = {
    RECOVERY_CODE_COST: '4',
    // As the shipped unit sets it.
    HOSTNAME: '127.0.0.1',
  };
  const stack = await startStack({ name: 'attacks', env, prefersPostgres: true });
  project.provide('endpoints', stack.endpoints);
  project.provide('appLog', stack.appLog);
  return stack.stop;
}
