import { startStack } from '../../scripts/lib/stack.mjs';
import { longLimits } from './time-limits';

/** Starts the stack that the tests share, and stops it after them. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  // For all apps of the run, each of which all its tests call from one client network; proof-of-work.* have it on.
  Object.assign(process.env, longLimits, { PROOF_OF_WORK: '0' });
  const stack = await startStack({ name: 'e2e', env: { RECOVERY_CODE_COST: '4' }, prefersPostgres: true });
  process.env.E2E_ENDPOINTS = JSON.stringify(stack.endpoints);
  return stack.stop;
}
