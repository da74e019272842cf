import { SignedInShell } from '@/components/session/signed-in-shell';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useClientValue } from '@/lib/browser/use-client-value';
import { displayDay } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { paths } from '@/lib/shared/paths';
import { MethodsSection } from './methods-section';
import styles from './security.module.css';
import { SignOutEverywhere } from './sign-out-everywhere';
import { ThisDevice } from './this-device';

/** The account's security settings (docs/product.md#screens). */
export function SecurityScreen({ account }: { account: AccountSecurity | null }) {
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
        <ThisDevice />
        <SignOutEverywhere />
      </div>
    </SignedInShell>
  );
}

/** The server does not know the user's time zone: the server-rendered page shows the date in UTC. */
function LastSignIn({ moment }: { moment: string }) {
  const { t } = useMessages('security');
  const date = useClientValue(() => displayDay(moment), displayDay(moment, 'UTC'));
  return <p>{t('lastSignIn', { date })}</p>;
}
