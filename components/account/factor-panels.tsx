import { Suspense, useEffect } from 'react';
import { leaveIfSignedOut } from '@/lib/browser/account/account-methods';
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
import { isOver, type ChangePhase } from './change';
import { ChangePanel, useReload } from './change-panel';
import { lazyPart } from './not-loaded';
import { ProofPanel } from './proof-form';
import { useChange } from './use-change';

type Outcome = 'on' | 'off' | 'added' | 'removed' | 'replaced';

/** `app`, `recoveryCodes`: data to show, which is in use once the user has entered a code of it. */
type Step = { app: NewApp } | { recoveryCodes: string[] };
export type FactorPhase = ChangePhase<FactorChange, FactorFailure, Step, { outcome: Outcome }>;

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
  const showChanged: (signIn?: ScheduledDeletion) => void | Promise<void> = onChanged ?? reload;
  const getOutcome = (change: FactorChange, before: FactorStep['name']): Outcome => {
    if (change.kind === 'remove') return appCount > 1 ? 'removed' : 'off';
    if (change.kind === 'codes') return 'replaced';
    return before === 'codes' ? 'on' : 'added';
  };

  const hook = useChange<FactorChange, FactorFailure, Step, { outcome: Outcome }>(async (change, at, { signal }) => {
    const isRemoval = change.kind === 'remove';
    if (isRemoval && at === 'opening') return { name: 'asking' };
    const isProved = at === 'proving';
    const step = await beginFactorChange(env, change, isProved);
    if (step.name === 'done') {
      // Reload even after Cancel, because the server has already made the change.
      await showChanged();
      return { name: 'done', outcome: getOutcome(change, 'done') };
    }
    if (step.name !== 'failed') return { ...step, name: 'entering' };
    const { failure } = step;
    if (isProofMissing(failure)) {
      // A second factor may have been turned on after the page was loaded.
      if (isProved) await reload();
      return { name: 'proving', failure: isProved ? failure : undefined };
    }
    if (
      signal.aborted ||
      (failure.factor === 'unknown' && getSignIn(change) === undefined && (await leaveIfSignedOut(account.email)))
    )
      return null;
    const isOld = failure.factor === 'factor-limit' || failure.factor === 'not-found';
    if (isOld) await reload();
    return { name: isRemoval && !isOld ? 'asking' : 'failed', failure };
  });

  /** @returns the failure, for the step's form */
  const confirm = async (
    change: FactorChange,
    name: 'app' | 'codes',
    answer: Promise<FactorStep>,
  ): Promise<FactorFailure | null> => {
    const { show } = hook.startAttempt({ type: 'press' });
    const step = await answer;
    if (step.name === 'codes') show({ ...step, name: 'entering' });
    if (step.name === 'done') {
      await showChanged(step.signIn);
      show({ name: 'done', outcome: getOutcome(change, name) });
    }
    if (step.name !== 'failed') return null;
    const { failure } = step;
    if (failure.factor === 'unknown' && getSignIn(change) === undefined) await leaveIfSignedOut(account.email);
    // There is nothing left to confirm.
    if (isUseless(failure)) show({ name: 'failed', failure });
    return failure;
  };

  return {
    ...hook,
    confirmApp: (change: FactorChange, app: string, code: string) =>
      confirm(change, 'app', confirmNewApp(change, app, code)),
    confirmCodes: (change: FactorChange, code: string) => confirm(change, 'codes', confirmNewCodes(env, change, code)),
  };
}

/** Whether another code would not help. */
function isUseless(failure: FactorFailure): boolean {
  return ['code-expired', 'factor-replaced', 'sign-in-expired'].includes(failure.factor) || isProofMissing(failure);
}

type Props = {
  account: AccountSecurity;
  hook: ReturnType<typeof useSecondFactor>;
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
export function FactorPanel({ account, hook, removalLabel }: Props) {
  const { t } = useMessages('two-step-verification');
  const { phase } = hook;
  // The app is on this device, so there is nothing to scan.
  const isTouch = useClientValue(() => window.matchMedia('(pointer: coarse)').matches, false);
  const page = 'app' in phase ? 'app' : 'recoveryCodes' in phase ? 'codes' : null;
  // Such a step replaces the page, so its heading comes into view.
  useEffect(() => {
    if (page !== null) document.documentElement.scrollTop = 0;
  }, [page]);
  if (phase.name === 'opening' || isOver(phase)) return null;
  const { change } = phase;
  if ('app' in phase)
    return (
      <ChangePanel stage="app" text={isTouch ? t('newApp.textTouch') : t('newApp.text')} onCancel={hook.cancel}>
        <Suspense>
          <LazyStep app={phase.app} isTouch={isTouch} onCode={(code) => hook.confirmApp(change, phase.app.id, code)} />
        </Suspense>
      </ChangePanel>
    );
  if ('recoveryCodes' in phase) {
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
      hook={hook}
      text={t(`proof.${change.kind}`)}
      deed={removalLabel === undefined ? undefined : { label: removalLabel, kind: 'danger' }}
    />
  );
}
