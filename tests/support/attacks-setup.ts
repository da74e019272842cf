import type { TestProject } from 'vitest/node';
import { startStack, type Endpoints } from '../../scripts/lib/stack.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    endpoints: Endpoints;
    /** File with the app's output. */
    appLog: string;
  }
}

/** Starts the built app with all its services, on free ports. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack({ name: 'attacks', env: { RECOVERY_CODE_COST: '4', PROOF_OF_WORK: '0' } });
  project.provide('endpoints', stack.endpoints);
  project.provide('appLog', stack.appLog);
  return stack.stop;
}
