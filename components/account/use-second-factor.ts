import { useRouter } from 'next/router';
import { leaveIfSignedOut, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import {
  beginFactorChange,
  confirmNewApp,
  confirmNewCodes,
  getSignIn,
  type FactorChange,
  type FactorStep,
} from '@/lib/browser/second-factor/change';
import { isProofMissing, type FactorFailure } from '@/lib/browser/second-factor/api';
import type { NewApp } from '@/lib/shared/account/second-factor';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useConfirmedChange } from './use-confirmed-change';

type Outcome = 'on' | 'off' | 'added' | 'removed' | 'replaced';

/**
 * A young session: idle → (remove: asking →) working → (add: app →) (add to none, codes: codes →) done. An older one: working →
 * proving → checking → finishing, and on as before. A failure leads back to asking, proving or idle.
 */
export type FactorPhase = ReturnType<typeof useSecondFactor>['phase'];
type Rest =
  | { name: 'idle'; failure?: FactorFailure }
  | { name: 'done'; outcome: Outcome }
  | { name: 'asking' | 'working' | 'finishing'; change: FactorChange; failure?: ProofFailure }
  | { name: 'app'; change: FactorChange; app: NewApp }
  | { name: 'codes'; change: FactorChange; recoveryCodes: string[] };

/**
 * Turns the second factor of the signed-in user on and off, and changes its apps and codes.
 * @param appCount how many apps it has
 * @param onChanged called after a change instead of loading the page's props again
 */
export function useSecondFactor(account: AccountSecurity, appCount: number, onChanged?: () => void) {
  const env = usePublicEnv();
  const router = useRouter();
  const {
    phase,
    startAttempt,
    confirm: confirmThen,
    cancel,
  } = useConfirmedChange<FactorChange, Rest>(account, {
    name: 'idle',
  });

  const reload = async () => void (onChanged ? onChanged() : await router.replace(router.asPath));
  const getOutcome = (change: FactorChange, before: FactorStep['name']): Outcome => {
    if (change.kind === 'remove') return appCount > 1 ? 'removed' : 'off';
    if (change.kind === 'codes') return 'replaced';
    return before === 'codes' ? 'on' : 'added';
  };

  const begin = async (change: FactorChange, isProved: boolean) => {
    const { show, signal } = startAttempt();
    show({ name: isProved ? 'finishing' : 'working', change });
    const step = await beginFactorChange(env, change, isProved);
    if (step.name === 'app' || step.name === 'codes') return show({ ...step, change });
    if (step.name === 'done') {
      // Also after Cancel: the server had the change already.
      await reload();
      return show({ name: 'done', outcome: getOutcome(change, 'done') });
    }
    const { failure } = step;
    if (isProofMissing(failure)) {
      // A second factor may have been turned on since the page was loaded.
      if (isProved) await reload();
      return show({ name: 'proving', change, ...(isProved && { failure }) });
    }
    if (
      signal.aborted ||
      (failure.factor === 'unknown' && getSignIn(change) === undefined && (await leaveIfSignedOut(account.email)))
    )
      return;
    const isOld = failure.factor === 'factor-limit' || failure.factor === 'not-found';
    if (isOld) await reload();
    return show(change.kind === 'remove' && !isOld ? { name: 'asking', change, failure } : { name: 'idle', failure });
  };

  const prove = (change: FactorChange, proof: Proof) =>
    confirmThen(change, proof, async () => {
      await begin(change, true);
      return null;
    });

  /** @returns the failure, for the form of the step */
  const confirm = async (
    change: FactorChange,
    name: 'app' | 'codes',
    answer: Promise<FactorStep>,
  ): Promise<FactorFailure | null> => {
    const { show } = startAttempt();
    const step = await answer;
    if (step.name === 'codes') show({ ...step, change });
    if (step.name === 'done') {
      await reload();
      show({ name: 'done', outcome: getOutcome(change, name) });
    }
    if (step.name !== 'failed') return null;
    const { failure } = step;
    if (failure.factor === 'unknown' && getSignIn(change) === undefined) await leaveIfSignedOut(account.email);
    // There is nothing left to confirm.
    if (isOver(failure)) show({ name: 'idle', failure });
    return failure;
  };

  return {
    phase,
    begin: (change: FactorChange) => void begin(change, false),
    ask: (change: FactorChange) => startAttempt().show({ name: 'asking', change }),
    prove,
    confirmApp: (change: FactorChange, app: string, code: string) =>
      confirm(change, 'app', confirmNewApp(change, app, code)),
    confirmCodes: (change: FactorChange, code: string) => confirm(change, 'codes', confirmNewCodes(env, change, code)),
    cancel,
  };
}

function isOver(failure: FactorFailure): boolean {
  return ['code-expired', 'factor-replaced', 'sign-in-expired'].includes(failure.factor) || isProofMissing(failure);
}
