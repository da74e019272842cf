import { displayDay } from '@/lib/browser/dates';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import styles from './security.module.css';

/** The account's email and its state. */
export function EmailSection({ account: { email, emailVerified, lastSignIn } }: { account: AccountSecurity }) {
  const { t } = useMessages('security');
  return (
    <section className={styles.block} aria-labelledby="security-email">
      <h3 id="security-email">{t('email.heading')}</h3>
      <p>
        <strong dir="ltr">{email !== null && toDisplayEmail(email)}</strong>{' '}
        {emailVerified ? t('email.confirmed') : t('email.unconfirmed')}
      </p>
      {lastSignIn !== null && <LastSignIn moment={lastSignIn} />}
    </section>
  );
}

/** The server does not know the user's time zone: the server-rendered page shows the date in UTC. */
function LastSignIn({ moment }: { moment: string }) {
  const { t } = useMessages('security');
  const language = useLanguage();
  const date = useClientValue(() => displayDay(moment, language), displayDay(moment, language, 'UTC'));
  return <p className={styles.soft}>{t('lastSignIn', { date })}</p>;
}
