import { Suspense } from 'react';
import { Notice } from '@/components/ui/notice';
import { lazyWithFallback, useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { ChangePanel, MethodFailure } from './change-panel';
import { ProofForm } from './proof-form';
import type { FactorPhase, useSecondFactor } from './use-second-factor';

type Props = {
  account: AccountSecurity;
  hook: ReturnType<typeof useSecondFactor>;
  phase: Extract<FactorPhase, { change: unknown }>;
  /** Names the button that removes an app. */
  removalLabel?: string;
};

const loadSteps = () => import('./factor-steps');
const FactorStep = lazyWithFallback(loadSteps, NotLoaded);

/** Loads the steps while the server begins the change. Errors are ignored: the step that is shown loads again. */
export function preloadPanels(): void {
  loadSteps().catch(() => undefined);
}

/** One step of a change: the reauthentication that an older session needs, the new app, or the new recovery codes. */
export function FactorPanel({ account, hook, phase, removalLabel }: Props) {
  const { t } = useMessages('two-step-verification');
  const { change } = phase;
  // The app is on this device: there is nothing to scan.
  const isTouch = useClientValue(() => window.matchMedia('(pointer: coarse)').matches, false);
  if (phase.name === 'app')
    return (
      <ChangePanel stage="app" text={isTouch ? t('newApp.textTouch') : t('newApp.text')} onCancel={hook.cancel}>
        <Suspense>
          <FactorStep
            app={phase.app}
            isTouch={isTouch}
            onCode={(code) => hook.confirmApp(change, phase.app.id, code)}
          />
        </Suspense>
      </ChangePanel>
    );
  if (phase.name === 'codes') {
    const isFirst = change.kind === 'add';
    return (
      <ChangePanel stage="codes" text={isFirst ? t('codes.text') : t('codes.replaceText')} onCancel={hook.cancel}>
        <Suspense>
          <FactorStep
            email={account.email}
            recoveryCodes={phase.recoveryCodes}
            isFirst={isFirst}
            onCode={(code) => hook.confirmCodes(change, code)}
          />
        </Suspense>
      </ChangePanel>
    );
  }
  const { name, failure } = phase;
  return (
    <ChangePanel
      stage="prove"
      text={t(`proof.${change.kind}`)}
      failure={failure && <MethodFailure failure={failure} email={account.email} />}
      onCancel={hook.cancel}
    >
      <ProofForm
        account={account}
        busy={name !== 'proving'}
        deed={removalLabel === undefined ? undefined : { label: removalLabel, kind: 'danger' }}
        onProof={(proof) => hook.prove(change, proof)}
      />
    </ChangePanel>
  );
}

function NotLoaded() {
  const { t } = useMessages('two-step-verification');
  return <Notice tone="error">{t('common:form.broken')}</Notice>;
}
