import { useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import type { FactorChange } from '@/lib/browser/second-factor/change';
import { useMessages } from '@/lib/browser/use-messages';
import {
  MAX_APPS,
  RECOVERY_CODE_COUNT,
  type AccountSecurity,
  type AuthenticatorApp,
  type SecondFactor,
} from '@/lib/shared/account/security';
import { useDate } from '@/lib/browser/dates';
import { FactorFailureNotice } from './factor-code-fields';
import { FactorPanel, preloadPanels, type FactorPhase, type useSecondFactor } from './factor-panels';
import { AccountRow } from './account-row';
import { ChangePanel, useReturnOfFocus } from './change-panel';
import styles from './security.module.css';
import own from './passkeys.module.css';

type Hook = ReturnType<typeof useSecondFactor>;
type Props = { account: AccountSecurity; secondFactor: SecondFactor | 'unavailable'; hook: Hook };

const HEADING_ID = 'security-second-factor';

/** The account's authenticator apps and recovery codes: turns two-step verification on and off. */
export function SecondFactorSection({ account, secondFactor, hook }: Props) {
  const { t } = useMessages('two-step-verification');
  const hasPassword = account.methods.some(({ id }) => id === 'password');
  const step = getStep(hook.phase);
  const [hadStep, setHadStep] = useState(false);
  if (step !== null && !hadStep) setHadStep(true);
  const isOn = secondFactor !== 'unavailable' && secondFactor.apps.length > 0;
  const value = secondFactor === 'unavailable' ? undefined : t(isOn ? 'security:status.on' : 'security:status.off');
  useReturnOfFocus(hook.phase, HEADING_ID, (over) => {
    if (!('change' in over)) return null;
    const { change } = over;
    return `[data-factor="${change.kind === 'remove' ? CSS.escape(`remove ${change.id}`) : change.kind}"]`;
  });
  if (step !== null)
    return (
      <section aria-labelledby={HEADING_ID}>
        <h2 id={HEADING_ID} className="visually-hidden">
          {t('heading')}
        </h2>
        <FactorPanel account={account} hook={hook} phase={step} />
      </section>
    );
  return (
    <section className={styles.fold} aria-labelledby={HEADING_ID}>
      <AccountRow id={HEADING_ID} level="h2" label={t('heading')} value={value} startsOpen={hadStep}>
        <div className={styles.card}>
          <div className={styles.block}>
            <p className={styles.intro}>{hasPassword ? t('text') : t('textNoPassword')}</p>
            {account.passkeys > 0 && <p className={styles.intro}>{t('passkeys')}</p>}
            {secondFactor === 'unavailable' ? (
              <Notice tone="error">{t('unavailable')}</Notice>
            ) : (
              <Factor account={account} secondFactor={secondFactor} hook={hook} />
            )}
          </div>
        </div>
      </AccountRow>
    </section>
  );
}

/** A step that replaces the page: the new app, or the new recovery codes. */
function getStep(phase: FactorPhase) {
  return phase.name === 'app' || phase.name === 'codes' ? phase : null;
}

/** Returns the heading of a step that replaces the page. The rest of the page is kept but hidden. */
export function useStepHeading(phase: FactorPhase): string | null {
  const { t } = useMessages('two-step-verification');
  const step = getStep(phase);
  if (step === null) return null;
  if (step.change.kind === 'codes') return t('codes.renew');
  return step.name === 'app' ? t('setUp') : t('codes.heading');
}

type FactorProps = Omit<Props, 'secondFactor'> & { secondFactor: SecondFactor };

function Factor({ account, secondFactor: { apps, codesLeft }, hook }: FactorProps) {
  const { t } = useMessages('two-step-verification');
  const { phase } = hook;
  const isOn = apps.length > 0;
  return (
    <>
      <LateNotice>
        {phase.name === 'done' && (
          <>
            <p>{t(`done.${phase.outcome}`)}</p>
            {phase.outcome === 'on' && <p>{t('security:devices.othersSignedOut')}</p>}
          </>
        )}
      </LateNotice>
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

/** At or below this number, the remaining codes are a warning. */
const FEW_CODES = 3;

function CodesLeft({ count }: { count: number }) {
  const { t } = useMessages('two-step-verification');
  const left = t('codes.left', { count, total: RECOVERY_CODE_COUNT });
  if (count > FEW_CODES)
    return (
      <div className={styles.apart}>
        <p>{left}</p>
        <p className={styles.soft}>{t('codes.purpose')}</p>
      </div>
    );
  return (
    <Notice tone="info">
      <p>
        <strong>{left}</strong>
      </p>
      <p>{t('codes.few')}</p>
    </Notice>
  );
}

type ChangeProps = Pick<Props, 'account' | 'hook'> & { change: FactorChange; label: string };

/** The button of a change, or its panel instead of the button. */
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

type FactorAppItemProps = Pick<Props, 'account' | 'hook'> & { app: AuthenticatorApp; isLast: boolean };

/** An authenticator app of the list, with the panel of its removal. */
function FactorAppItem({ account, app: { id, createdAt, lastUsedAt }, isLast, hook }: FactorAppItemProps) {
  const { t } = useMessages('two-step-verification');
  const nameId = useId();
  const addedId = useId();
  const { phase } = hook;
  const added = useDate(createdAt);
  const used = useDate(lastUsedAt ?? createdAt);
  const removing = 'change' in phase && phase.change.kind === 'remove' && phase.change.id === id ? phase : null;
  return (
    <li className={own.passkey}>
      <span id={nameId} className={own.name}>
        {t('app.name')}
      </span>
      <span className={own.dates}>
        <span id={addedId}>{t('app.added', { date: added })}</span>
        <span>{lastUsedAt === null ? t('app.unused') : t('app.lastUsed', { date: used })}</span>
      </span>
      {removing !== null ? (
        <div className={own.panel}>
          <Removal account={account} isLast={isLast} hook={hook} phase={removing} />
        </div>
      ) : (
        <div className={styles.buttons}>
          <Button
            kind="quiet"
            data-factor={`remove ${id}`}
            aria-describedby={`${nameId} ${addedId}`}
            onClick={() => hook.ask({ kind: 'remove', id })}
          >
            {t('app.remove')}
          </Button>
        </div>
      )}
    </li>
  );
}

type RemovalProps = Omit<FactorAppItemProps, 'app'> & { phase: Extract<FactorPhase, { change: unknown }> };

/** Explains the removal of an app, and removes it. An older session needs a reauthentication first. */
function Removal({ account, isLast, hook, phase }: RemovalProps) {
  const { t } = useMessages('two-step-verification');
  const { name, change } = phase;
  const label = isLast ? t('app.turnOff') : t('app.removeNow');
  if (name !== 'asking' && name !== 'working')
    return <FactorPanel account={account} hook={hook} phase={phase} removalLabel={label} />;
  const { failure } = phase;
  return (
    <ChangePanel
      stage="ask"
      text={t('app.removal')}
      facts={[isLast ? t('app.turnsOff') : t('app.otherStays'), t('app.othersSignedOut'), t('app.appKeeps')]}
      failure={failure && <FactorFailureNotice failure={failure} />}
      onCancel={hook.cancel}
    >
      <Button kind="danger" busy={name === 'working'} busyLabel={t('working')} onClick={() => hook.begin(change)}>
        {label}
      </Button>
    </ChangePanel>
  );
}
