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
import { ChangePanel } from './change-panel';
import styles from './security.module.css';
import own from './passkeys.module.css';

type Hook = ReturnType<typeof useSecondFactor>;
type Props = { account: AccountSecurity; secondFactor: SecondFactor | 'unavailable'; hook: Hook };

const HEADING_ID = 'security-second-factor';

/** The account's authenticator apps and recovery codes: turns two-step verification on and off. */
export function SecondFactorSection({ account, secondFactor, hook }: Props) {
  const { t } = useMessages('two-step-verification');
  const hasPassword = account.methods.some(({ id }) => id === 'password');
  const isStep = hook.phase.name === 'entering';
  const [hadStep, setHadStep] = useState(false);
  if (isStep && !hadStep) setHadStep(true);
  const isOn = secondFactor !== 'unavailable' && secondFactor.apps.length > 0;
  const value = secondFactor === 'unavailable' ? undefined : t(isOn ? 'security:status.on' : 'security:status.off');
  if (isStep)
    return (
      <section aria-labelledby={HEADING_ID}>
        <h2 id={HEADING_ID} className="visually-hidden">
          {t('heading')}
        </h2>
        <FactorPanel account={account} hook={hook} />
      </section>
    );
  return (
    <section className={styles.fold} aria-labelledby={HEADING_ID}>
      <AccountRow
        id={HEADING_ID}
        level="h2"
        label={t('heading')}
        value={value}
        startsOpen={hadStep}
        headingRef={hook.heading}
      >
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

/**
 * Returns the heading of a step that replaces the page: the new app, or the new recovery codes. The rest of the page is
 * kept but hidden.
 */
export function useStepHeading(phase: FactorPhase): string | null {
  const { t } = useMessages('two-step-verification');
  if (phase.name !== 'entering') return null;
  if (phase.change.kind === 'codes') return t('codes.renew');
  return 'app' in phase ? t('setUp') : t('codes.heading');
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
      {phase.name === 'failed' && <FactorFailureNotice failure={phase.failure} />}
      {isOn && (
        <ul className={styles.methods} aria-label={t('app.list')}>
          {apps.map((app) => (
            <FactorAppItem key={app.id} account={account} app={app} isLast={apps.length === 1} hook={hook} />
          ))}
        </ul>
      )}
      {isOn && <p className={styles.soft}>{t('app.removing')}</p>}
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
  if (phase.name === 'proving' && phase.change.kind === change.kind)
    return <FactorPanel account={account} hook={hook} />;
  return (
    <Button
      kind="secondary"
      {...hook.getButton(change)}
      busyLabel={t('working')}
      onPointerEnter={preloadPanels}
      onFocus={preloadPanels}
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
  const change = { kind: 'remove', id } as const;
  return (
    <li className={own.passkey}>
      <span id={nameId} className={own.name}>
        {t('app.name')}
      </span>
      <span className={own.dates}>
        <span id={addedId}>{t('app.added', { date: added })}</span>
        <span>{lastUsedAt === null ? t('app.unused') : t('app.lastUsed', { date: used })}</span>
      </span>
      {(phase.name === 'asking' || phase.name === 'proving') &&
      phase.change.kind === 'remove' &&
      phase.change.id === id ? (
        <div className={own.panel}>
          <Removal account={account} isLast={isLast} hook={hook} />
        </div>
      ) : (
        <div className={styles.buttons}>
          <Button kind="quiet" {...hook.getButton(change)} aria-describedby={`${nameId} ${addedId}`}>
            {t('app.remove')}
          </Button>
        </div>
      )}
    </li>
  );
}

type RemovalProps = Omit<FactorAppItemProps, 'app'>;

/** Explains the removal of an app, and removes it. An older session needs a reauthentication first. */
function Removal({ account, isLast, hook }: RemovalProps) {
  const { t } = useMessages('two-step-verification');
  const { phase } = hook;
  const label = isLast ? t('app.turnOff') : t('app.removeNow');
  if (phase.name !== 'asking') return <FactorPanel account={account} hook={hook} removalLabel={label} />;
  const { failure } = phase;
  return (
    <ChangePanel
      stage="ask"
      text={t('app.removal')}
      facts={[isLast ? t('app.turnsOff') : t('app.otherStays'), t('app.othersSignedOut'), t('app.appKeeps')]}
      failure={failure && <FactorFailureNotice failure={failure} />}
      onCancel={hook.cancel}
    >
      <Button kind="danger" busy={phase.isBusy} busyLabel={t('working')} onClick={hook.press}>
        {label}
      </Button>
    </ChangePanel>
  );
}
