import { startStack } from '../../scripts/lib/stack.mjs';
import { longLimits } from './time-limits';

/** Starts the stack that the tests share, and stops it afterward. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  // Proof of work is off in all apps of the run, because tests call each app from one client network. Its own tests turn
  // it on.
  Object.assign(process.env, longLimits, { PROOF_OF_WORK: '0' });
  const stack = await startStack({ name: 'e2e', env: { RECOVERY_CODE_COST: '4' }, prefersPostgres: true });
  process.env.E2E_ENDPOINTS = JSON.stringify(stack.endpoints);
  return stack.stop;
}
