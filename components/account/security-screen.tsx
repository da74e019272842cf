import { SignedInShell } from '@/components/session/signed-in-shell';
import { Notice } from '@/components/ui/notice';
import type { Activity } from '@/lib/shared/account/activity';
import {
  SECURITY_PARTS,
  type AccountSecurity,
  type DeletionState,
  type DeviceSession,
  type SecondFactor,
  type SecurityPart,
  type SignInToCheck,
} from '@/lib/shared/account/security';
import type { NextStep } from '@/lib/shared/account/next-step';
import type { PasskeyList } from '@/lib/shared/account/passkeys';
import { useDate } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import { ActivitySection } from './activity-section';
import { AccountHead, NextStepCard } from './account-head';
import { Attention } from './attention';
import { DataSection } from './data-section';
import { DevicesSection } from './devices-section';
import { EmailSection } from './email-section';
import { NameSection } from './profile-section';
import { MethodsSection } from './methods-section';
import { PasskeysSection } from './passkeys-section';
import { RecoveryEmailSection } from './recovery-email-section';
import { SecondFactorSection, useStepHeading } from './second-factor-section';
import { Part, PartsNav } from './security-parts';
import styles from './security.module.css';
import { SignInAgain } from './sign-in-again';
import { SignOutChoices } from './sign-out-section';
import { useSecondFactor } from './factor-panels';

/**
 * `activity`, `devices`, `deletion`, `recovery`, `secondFactor`: null if another deployment has the accounts. `passkeys`: also null
 * if this origin does not offer passkeys.
 */
type Props = {
  account: AccountSecurity | null;
  /** Whether the session was opened in this browser. In another browser, a copy of it cannot change anything. */
  isOwnBrowser: boolean;
  activity: Activity | 'unavailable' | null;
  devices: DeviceSession[] | 'unavailable' | null;
  deletion: DeletionState;
  recovery: { email: string | null } | 'unavailable' | null;
  signIns: SignInToCheck[];
  nextSteps: NextStep[];
  passkeys: PasskeyList | 'unavailable' | null;
  secondFactor: SecondFactor | 'unavailable' | null;
};

/** The account's security settings, in four parts on one page (docs/product.md#screens). */
export function SecurityScreen({ account, ...sections }: Props) {
  const { t } = useMessages('security');
  if (account !== null) return <AccountPage account={account} {...sections} />;
  return (
    <SignedInShell heading={t('heading')}>
      <Notice tone="error">{t('unavailable')}</Notice>
    </SignedInShell>
  );
}

function AccountPage({
  account,
  isOwnBrowser,
  activity,
  devices,
  deletion,
  recovery,
  signIns,
  nextSteps,
  passkeys,
  secondFactor,
}: Props & { account: AccountSecurity }) {
  const { t } = useMessages('security');
  const lastSignIn = useDate(account.lastSignIn ?? '');
  const apps = typeof secondFactor === 'object' ? (secondFactor?.apps.length ?? 0) : 0;
  const hook = useSecondFactor(account, apps);
  const heading = useStepHeading(hook.phase);
  const isStep = heading !== null;
  const offered: Partial<Record<SecurityPart, boolean>> = {
    'two-step-verification': secondFactor !== null,
    'your-data': deletion !== null,
  };
  return (
    <SignedInShell heading={heading ?? t('heading')}>
      {!isStep && (
        <>
          {!isOwnBrowser && (
            <Notice tone="warning">
              <p>{t('otherBrowser')}</p>
              <SignInAgain email={account.email} />
            </Notice>
          )}
          <AccountHead account={account} />
          <Attention account={account} deletion={deletion} signIns={signIns} secondFactor={secondFactor} />
          <NextStepCard steps={nextSteps} />
        </>
      )}
      <div className={isStep ? styles.step : styles.layout}>
        {!isStep && <PartsNav parts={SECURITY_PARTS.filter((part) => offered[part] ?? true)} />}
        <div className={styles.parts}>
          <Part part="sign-in" hidden={isStep}>
            <div className={styles.section}>
              <h2 tabIndex={-1}>{t('parts.sign-in')}</h2>
              <div className={styles.card}>
                <NameSection account={account} />
                <EmailSection account={account} canChange={deletion !== null} />
                {typeof recovery === 'object' && recovery !== null && (
                  <RecoveryEmailSection account={account} email={recovery.email} />
                )}
                <MethodsSection account={account} />
                {passkeys !== null && <PasskeysSection account={account} list={passkeys} />}
              </div>
            </div>
          </Part>
          {secondFactor !== null && (
            <Part part="two-step-verification" hidden={false}>
              <SecondFactorSection account={account} secondFactor={secondFactor} hook={hook} />
            </Part>
          )}
          <Part part="devices" hidden={isStep}>
            <DevicesSection account={account} devices={devices}>
              <SignOutChoices />
            </DevicesSection>
            {activity !== null && (
              <ActivitySection
                key={getKey(activity)}
                first={activity}
                value={account.lastSignIn === null ? undefined : t('lastSignIn', { date: lastSignIn })}
              />
            )}
          </Part>
          {deletion !== null && (
            <Part part="your-data" hidden={isStep}>
              <DataSection account={account} deletion={deletion} />
            </Part>
          )}
        </div>
      </div>
    </SignedInShell>
  );
}

/** Key of the list, so that a reloaded page begins with its own events. */
function getKey(activity: Activity | 'unavailable'): string {
  return activity === 'unavailable' ? activity : (activity.events[0]?.id ?? 'none');
}
