import type { TestProject } from 'vitest/node';
import { startStack, type Endpoints } from '../../scripts/lib/stack.mjs';
import { longLimits } from './time-limits';

declare module 'vitest' {
  interface ProvidedContext {
    endpoints: Endpoints;
    /** Path of the file with the app's output. */
    appLog: string;
  }
}

/** Starts the built app with all its services on free ports. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Proof of work is off in all apps of the run, because tests call each app from one client network. Its own tests turn
  // it on.
  Object.assign(process.env, longLimits, { PROOF_OF_WORK: '0' });
  const env = {
    RECOVERY_CODE_COST: '4',
    // The shipped unit sets this value.
    HOSTNAME: '127.0.0.1',
  };
  const stack = await startStack({ name: 'attacks', env, prefersPostgres: true });
  project.provide('endpoints', stack.endpoints);
  project.provide('appLog', stack.appLog);
  return stack.stop;
}
