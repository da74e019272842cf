import { SignedInShell } from '@/components/session/signed-in-shell';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { Activity } from '@/lib/shared/account/activity';
import type { DeletionState } from '@/lib/shared/account/deletion';
import type { DeviceSession } from '@/lib/shared/account/devices';
import type { PasskeyList } from '@/lib/shared/account/passkeys';
import type { SecondFactor } from '@/lib/shared/account/second-factor';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useClientValue } from '@/lib/browser/use-client-value';
import { displayDay } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { paths } from '@/lib/shared/paths';
import { ActivitySection } from './activity-section';
import { DataSection } from './data-section';
import { DevicesSection } from './devices-section';
import { MethodsSection } from './methods-section';
import { PasskeysSection } from './passkeys-section';
import { SecondFactorSection } from './second-factor-section';
import styles from './security.module.css';
import { SignOutEverywhere } from './sign-out-everywhere';
import { ThisDevice } from './this-device';

/** `activity`, `devices`, `deletion`, `secondFactor`: null when this deployment keeps no records; `passkeys`: when it has none. */
type Props = {
  account: AccountSecurity | null;
  activity: Activity | 'unavailable' | null;
  devices: DeviceSession[] | 'unavailable' | null;
  deletion: DeletionState;
  passkeys: PasskeyList | 'unavailable' | null;
  secondFactor: SecondFactor | 'unavailable' | null;
};

/** The account's security settings (docs/product.md#screens). */
export function SecurityScreen({ account, activity, devices, deletion, passkeys, secondFactor }: Props) {
  const { t } = useMessages('security');
  if (account === null) {
    return (
      <SignedInShell heading={t('heading')}>
        <Notice tone="error">{t('unavailable')}</Notice>
      </SignedInShell>
    );
  }
  const hasPassword = account.methods.some(({ id }) => id === 'password');
  return (
    <SignedInShell heading={t('heading')} lead={t('lead')}>
      <div className={styles.sections}>
        <section className={styles.section} aria-labelledby="security-email">
          <h2 id="security-email">{t('email.heading')}</h2>
          <p>
            <strong>{account.email !== null && toDisplayEmail(account.email)}</strong>{' '}
            {account.emailVerified ? t('email.confirmed') : t('email.unconfirmed')}
          </p>
          {account.lastSignIn !== null && <LastSignIn moment={account.lastSignIn} />}
        </section>
        <MethodsSection account={account} />
        {hasPassword && (
          <section className={styles.section} aria-labelledby="security-password">
            <h2 id="security-password">{t('password.heading')}</h2>
            <p>{t('password.text')}</p>
            <ButtonLink href={paths.changePassword}>{t('password.change')}</ButtonLink>
          </section>
        )}
        {passkeys !== null && <PasskeysSection account={account} list={passkeys} />}
        {secondFactor !== null && <SecondFactorSection account={account} secondFactor={secondFactor} />}
        {devices !== null && <DevicesSection account={account} devices={devices} />}
        {activity !== null && <ActivitySection key={getKey(activity)} first={activity} />}
        <ThisDevice />
        <SignOutEverywhere />
        {deletion !== null && <DataSection account={account} deletion={deletion} />}
      </div>
    </SignedInShell>
  );
}

/** A page that was loaded again begins with its own events. */
function getKey(activity: Activity | 'unavailable'): string {
  return activity === 'unavailable' ? activity : (activity.events[0]?.id ?? 'none');
}

/** The server does not know the user's time zone: the server-rendered page shows the date in UTC. */
function LastSignIn({ moment }: { moment: string }) {
  const { t } = useMessages('security');
  const date = useClientValue(() => displayDay(moment), displayDay(moment, 'UTC'));
  return <p>{t('lastSignIn', { date })}</p>;
}
