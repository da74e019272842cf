import { useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { FactorChange } from '@/lib/browser/second-factor/change';
import { useMessages } from '@/lib/browser/use-messages';
import { MAX_APPS, RECOVERY_CODE_COUNT, type SecondFactor } from '@/lib/shared/account/second-factor';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { FactorAppItem } from './factor-app-item';
import { FactorFailureNotice } from './factor-failure-notice';
import { FactorPanel, preloadPanels } from './factor-panels';
import { FactorResetNotice } from './factor-reset-notice';
import styles from './security.module.css';
import { useSecondFactor, type FactorPhase } from './use-second-factor';

type Props = { account: AccountSecurity; secondFactor: SecondFactor | 'unavailable' };

const HEADING_ID = 'security-second-factor';

/** The account's authenticator apps and recovery codes: turns two-step verification on and off. */
export function SecondFactorSection({ account, secondFactor }: Props) {
  const { t } = useMessages('two-step-verification');
  const hasPassword = account.methods.some(({ id }) => id === 'password');
  return (
    <section className={styles.section} aria-labelledby={HEADING_ID}>
      <h2 id={HEADING_ID} tabIndex={-1}>
        {t('heading')}
      </h2>
      <p>{hasPassword ? t('text') : t('textNoPassword')}</p>
      {account.passkeys > 0 && <p>{t('passkeys')}</p>}
      {secondFactor === 'unavailable' ? (
        <Notice tone="error">{t('unavailable')}</Notice>
      ) : (
        <Factor account={account} secondFactor={secondFactor} />
      )}
    </section>
  );
}

type FactorProps = { account: AccountSecurity; secondFactor: SecondFactor };

function Factor({ account, secondFactor: { apps, codesLeft, endsAt } }: FactorProps) {
  const { t } = useMessages('two-step-verification');
  const hook = useSecondFactor(account, apps.length);
  const { phase } = hook;
  useReturnOfFocus(phase);
  const isOn = apps.length > 0;
  return (
    <>
      {phase.name === 'done' && <Notice tone="success">{t(`done.${phase.outcome}`)}</Notice>}
      <FactorResetNotice endsAt={endsAt} onKept={() => document.getElementById(HEADING_ID)?.focus()} />
      {phase.name === 'idle' && phase.failure && <FactorFailureNotice failure={phase.failure} />}
      {isOn && (
        <ul className={styles.methods} aria-label={t('app.list')}>
          {apps.map((app) => (
            <FactorAppItem key={app.id} account={account} app={app} isLast={apps.length === 1} hook={hook} />
          ))}
        </ul>
      )}
      {apps.length < MAX_APPS && (
        <Change account={account} hook={hook} change={{ kind: 'add' }} label={isOn ? t('app.another') : t('setUp')} />
      )}
      {isOn && (
        <>
          <CodesLeft count={codesLeft} />
          <Change account={account} hook={hook} change={{ kind: 'codes' }} label={t('codes.renew')} />
        </>
      )}
    </>
  );
}

/** Few of them are a warning. */
const FEW_CODES = 3;

function CodesLeft({ count }: { count: number }) {
  const { t } = useMessages('two-step-verification');
  const left = t('codes.left', { count, total: RECOVERY_CODE_COUNT });
  if (count > FEW_CODES) return <p>{left}</p>;
  return (
    <Notice tone="info">
      <p>
        <strong>{left}</strong>
      </p>
      <p>{t('codes.few')}</p>
    </Notice>
  );
}

type ChangeProps = {
  account: AccountSecurity;
  hook: ReturnType<typeof useSecondFactor>;
  change: FactorChange;
  label: string;
};

/** The button of a change, or its panel in place of the button. */
function Change({ account, hook, change, label }: ChangeProps) {
  const { t } = useMessages('two-step-verification');
  const { phase } = hook;
  const current = 'change' in phase && phase.change.kind === change.kind ? phase : null;
  if (current !== null && current.name !== 'working')
    return <FactorPanel account={account} hook={hook} phase={current} />;
  return (
    <Button
      kind="secondary"
      data-factor={change.kind}
      busy={current !== null}
      busyLabel={t('working')}
      onPointerEnter={preloadPanels}
      onFocus={preloadPanels}
      onClick={() => hook.begin(change)}
    >
      {label}
    </Button>
  );
}

/** Moves focus to the button of a canceled or failed change, or to the section's heading after one that is done. */
function useReturnOfFocus(phase: FactorPhase): void {
  const before = useRef<FactorPhase>(phase);
  useEffect(() => {
    const { current } = before;
    before.current = phase;
    if (!('change' in current)) return;
    const { change } = current;
    const button = change.kind === 'remove' ? `remove ${change.id}` : change.kind;
    const back = document.querySelector<HTMLElement>(`[data-factor="${CSS.escape(button)}"]`);
    if (phase.name === 'idle' && back) back.focus();
    else if (phase.name === 'idle' || phase.name === 'done') document.getElementById(HEADING_ID)?.focus();
  }, [phase]);
}
