import { useTranslation } from 'next-i18next/pages';
import { AppShell } from '@/components/layout/app-shell';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { AccountSecurity } from '@/lib/account/security';
import { paths } from '@/lib/paths';
import { MethodsSection } from './methods-section';
import styles from './security.module.css';
import { SignOutEverywhere } from './sign-out-everywhere';
import { ThisDevice } from './this-device';

/** What keeps the account safe, and how to change it (product decisions, 6). */
export function SecurityScreen({ account }: { account: AccountSecurity | null }) {
  const { t } = useTranslation('security');
  if (account === null) {
    return (
      <AppShell heading={t('heading')}>
        <Notice tone="error">{t('unavailable')}</Notice>
      </AppShell>
    );
  }
  const hasPassword = account.methods.some(({ id }) => id === 'password');
  return (
    <AppShell heading={t('heading')} lead={t('lead')}>
      <div className={styles.sections}>
        <section className={styles.section} aria-labelledby="security-email">
          <h2 id="security-email">{t('email.heading')}</h2>
          <p>
            <strong>{account.email}</strong> {account.emailVerified ? t('email.confirmed') : t('email.unconfirmed')}
          </p>
          {account.lastSignIn !== null && <p>{t('lastSignIn', { date: account.lastSignIn })}</p>}
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
    </AppShell>
  );
}
