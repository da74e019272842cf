import { Suspense } from 'react';
import { leaveIfSignedOut, type AccountProof } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useClientValue } from '@/lib/browser/hooks';
import { isProofMissing, type FactorFailure } from '@/lib/browser/second-factor/api';
import {
  beginFactorChange,
  confirmNewApp,
  confirmNewCodes,
  getSignIn,
  type FactorChange,
  type FactorStep,
} from '@/lib/browser/second-factor/change';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity, NewApp, ScheduledDeletion } from '@/lib/shared/account/security';
import { ChangePanel, useConfirmedChange, useReload } from './change-panel';
import { lazyPart } from './not-loaded';
import { ProofPanel } from './proof-form';

type Outcome = 'on' | 'off' | 'added' | 'removed' | 'replaced';

/**
 * With a recent session: idle → (remove: asking →) working → (add: app →) (add to none, codes: codes →) done. With an
 * older session: working → proving → checking → finishing, and on as above. A failure returns to asking, proving or
 * idle.
 */
export type FactorPhase = ReturnType<typeof useSecondFactor>['phase'];
type Rest =
  | { name: 'idle'; failure?: FactorFailure }
  | { name: 'done'; outcome: Outcome }
  | { name: 'asking' | 'working' | 'finishing'; change: FactorChange; failure?: FactorFailure }
  | { name: 'app'; change: FactorChange; app: NewApp }
  | { name: 'codes'; change: FactorChange; recoveryCodes: string[] };

/**
 * Turns the second factor of the signed-in user on and off, and changes its apps and codes.
 * @param appCount number of its apps
 * @param onChanged called after a change instead of reloading the page's props, with the completed waiting sign-in
 */
export function useSecondFactor(
  account: AccountSecurity,
  appCount: number,
  onChanged?: (signIn?: ScheduledDeletion) => void,
) {
  const env = usePublicEnv();
  const reload = useReload();
  const confirmed = useConfirmedChange<FactorChange, Rest>(account, { name: 'idle' });
  const { phase, startAttempt, cancel } = confirmed;

  const showChanged: (signIn?: ScheduledDeletion) => void | Promise<void> = onChanged ?? reload;
  const getOutcome = (change: FactorChange, before: FactorStep['name']): Outcome => {
    if (change.kind === 'remove') return appCount > 1 ? 'removed' : 'off';
    if (change.kind === 'codes') return 'replaced';
    return before === 'codes' ? 'on' : 'added';
  };

  /** @returns why the proof was not sufficient, for its form */
  const begin = async (change: FactorChange, isProved: boolean): Promise<FactorFailure | null> => {
    const { show, signal } = startAttempt();
    show({ name: isProved ? 'finishing' : 'working', change });
    const step = await beginFactorChange(env, change, isProved);
    if (step.name !== 'failed') {
      // Reload even after Cancel, because the server has already made the change.
      if (step.name === 'done') await showChanged();
      show(step.name === 'done' ? { name: 'done', outcome: getOutcome(change, 'done') } : { ...step, change });
      return null;
    }
    const { failure } = step;
    if (isProofMissing(failure)) {
      // A second factor may have been turned on after the page was loaded.
      if (isProved) await reload();
      show({ name: 'proving', change, ...(isProved && { failure }) });
      return failure;
    }
    if (
      signal.aborted ||
      (failure.factor === 'unknown' && getSignIn(change) === undefined && (await leaveIfSignedOut(account.email)))
    )
      return null;
    const isOld = failure.factor === 'factor-limit' || failure.factor === 'not-found';
    if (isOld) await reload();
    show(change.kind === 'remove' && !isOld ? { name: 'asking', change, failure } : { name: 'idle', failure });
    return null;
  };

  /** @returns the failure, for the step's form */
  const confirm = async (
    change: FactorChange,
    name: 'app' | 'codes',
    answer: Promise<FactorStep>,
  ): Promise<FactorFailure | null> => {
    const { show } = startAttempt();
    const step = await answer;
    if (step.name === 'codes') show({ ...step, change });
    if (step.name === 'done') {
      await showChanged(step.signIn);
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
    prove: (change: FactorChange, proof: AccountProof) => confirmed.confirm(change, proof, () => begin(change, true)),
    confirmApp: (change: FactorChange, app: string, code: string) =>
      confirm(change, 'app', confirmNewApp(change, app, code)),
    confirmCodes: (change: FactorChange, code: string) => confirm(change, 'codes', confirmNewCodes(env, change, code)),
    cancel,
  };
}

function isOver(failure: FactorFailure): boolean {
  return ['code-expired', 'factor-replaced', 'sign-in-expired'].includes(failure.factor) || isProofMissing(failure);
}

type Props = {
  account: AccountSecurity;
  hook: ReturnType<typeof useSecondFactor>;
  phase: Extract<FactorPhase, { change: unknown }>;
  /** Label of the button that removes an app. */
  removalLabel?: string;
};

const loadSteps = () => import('./factor-steps');
const LazyStep = lazyPart(loadSteps);

/** Loads the steps while the server begins the change. Errors are ignored, because the shown step loads again. */
export function preloadPanels(): void {
  loadSteps().catch(() => undefined);
}

/** A step of a change: the reauthentication that an older session needs, the new app, or the new recovery codes. */
export function FactorPanel({ account, hook, phase, removalLabel }: Props) {
  const { t } = useMessages('two-step-verification');
  const { change } = phase;
  // The app is on this device, so there is nothing to scan.
  const isTouch = useClientValue(() => window.matchMedia('(pointer: coarse)').matches, false);
  if (phase.name === 'app')
    return (
      <ChangePanel stage="app" text={isTouch ? t('newApp.textTouch') : t('newApp.text')} onCancel={hook.cancel}>
        <Suspense>
          <LazyStep app={phase.app} isTouch={isTouch} onCode={(code) => hook.confirmApp(change, phase.app.id, code)} />
        </Suspense>
      </ChangePanel>
    );
  if (phase.name === 'codes') {
    const isFirst = change.kind === 'add';
    return (
      <ChangePanel stage="codes" text={isFirst ? t('codes.text') : t('codes.replaceText')} onCancel={hook.cancel}>
        <Suspense>
          <LazyStep
            email={account.email}
            recoveryCodes={phase.recoveryCodes}
            isFirst={isFirst}
            onCode={(code) => hook.confirmCodes(change, code)}
          />
        </Suspense>
      </ChangePanel>
    );
  }
  return (
    <ProofPanel
      account={account}
      phase={phase}
      text={t(`proof.${change.kind}`)}
      deed={removalLabel === undefined ? undefined : { label: removalLabel, kind: 'danger' }}
      onProof={(proof) => hook.prove(change, proof)}
      onCancel={hook.cancel}
    />
  );
}
