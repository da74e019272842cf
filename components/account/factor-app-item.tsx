import { useId } from 'react';
import { Button } from '@/components/ui/button';
import { displayDay } from '@/lib/browser/dates';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { AuthenticatorApp } from '@/lib/shared/account/second-factor';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { ChangePanel } from './change-panel';
import { FactorPanel } from './factor-panels';
import { MethodFailure } from './method-failure';
import own from './passkeys.module.css';
import styles from '@/components/layout/flow.module.css';
import type { FactorPhase, useSecondFactor } from './use-second-factor';

type Props = {
  account: AccountSecurity;
  app: AuthenticatorApp;
  isLast: boolean;
  hook: ReturnType<typeof useSecondFactor>;
};

/** One authenticator app of the list, with the panel of its removal. */
export function FactorAppItem({ account, app: { id, createdAt, lastUsedAt }, isLast, hook }: Props) {
  const { t } = useMessages('two-step-verification');
  const nameId = useId();
  const addedId = useId();
  const { phase } = hook;
  const added = useDay(createdAt);
  const used = useDay(lastUsedAt ?? createdAt);
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
        <div className={own.actions}>
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

type RemovalProps = Omit<Props, 'app'> & { phase: Extract<FactorPhase, { change: unknown }> };

/** What the removal changes, and the removal; before it the reauthentication that an older session needs. */
function Removal({ account, isLast, hook, phase }: RemovalProps) {
  const { t } = useMessages('two-step-verification');
  const { name, change } = phase;
  if (name !== 'asking' && name !== 'working') return <FactorPanel account={account} hook={hook} phase={phase} />;
  const { failure } = phase;
  return (
    <ChangePanel
      stage="ask"
      text={t('app.removal')}
      failure={failure && <MethodFailure failure={failure} email={account.email} keepChange={() => undefined} />}
      onCancel={hook.cancel}
    >
      <ul className={styles.facts}>
        <li>{isLast ? t('app.turnsOff') : t('app.otherStays')}</li>
        <li>{t('app.othersSignedOut')}</li>
        <li>{t('app.appKeeps')}</li>
      </ul>
      <Button kind="danger" busy={name === 'working'} busyLabel={t('working')} onClick={() => hook.begin(change)}>
        {isLast ? t('app.turnOff') : t('app.removeNow')}
      </Button>
    </ChangePanel>
  );
}

/** The server does not know the reader's time zone: the server-rendered page shows the date in UTC. */
function useDay(moment: string): string {
  const language = useLanguage();
  return useClientValue(() => displayDay(moment, language), displayDay(moment, language, 'UTC'));
}
