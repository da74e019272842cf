import type { PasskeyList } from './passkeys';
import {
  LAST_CODES,
  type AccountSecurity,
  type DeletionState,
  type SecondFactor,
  type SignInToCheck,
} from './security';

/** What /security knows. Each is null if this deployment or origin does not have it. */
type Facts = {
  account: Pick<AccountSecurity, 'methods'>;
  deletion: DeletionState;
  recovery: { email: string | null } | 'unavailable' | null;
  signIns: readonly SignInToCheck[];
  passkeys: PasskeyList | 'unavailable' | null;
  secondFactor: SecondFactor | 'unavailable' | null;
};

/** `done`: the account has everything. */
export const NEXT_STEPS = ['passkey', 'two-step', 'recovery', 'done'] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/**
 * Decides what makes the account safer next. /security shows the first step that its browser can take.
 * @returns nothing if something else needs the learner's attention. Nothing unknown is offered or counts as done.
 */
export function listNextSteps(facts: Facts): NextStep[] {
  const { account, passkeys, secondFactor, recovery } = facts;
  if (needsAttention(facts)) return [];
  const hasPassword = account.methods.some(({ id }) => id === 'password');
  const isAllKnown = [passkeys, secondFactor, recovery].every((each) => each !== 'unavailable');
  const steps: NextStep[] = [];
  if (isKnown(passkeys) && passkeys.passkeys.length === 0) steps.push('passkey');
  if (hasPassword && isKnown(secondFactor) && secondFactor.apps.length === 0) steps.push('two-step');
  if (isKnown(recovery) && recovery.email === null) steps.push('recovery');
  if (steps.length === 0 && isAllKnown) steps.push('done');
  return steps;
}

function needsAttention({ deletion, signIns, secondFactor }: Facts): boolean {
  if (deletion === 'unavailable' || (deletion !== null && deletion.effectiveAt !== null)) return true;
  if (signIns.length > 0) return true;
  if (!isKnown(secondFactor)) return false;
  return secondFactor.endsAt !== null || (secondFactor.apps.length > 0 && secondFactor.codesLeft <= LAST_CODES);
}

function isKnown<T extends object>(fact: T | 'unavailable' | null): fact is T {
  return typeof fact === 'object' && fact !== null;
}
