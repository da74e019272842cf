import { Suspense } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { useDate } from '@/lib/browser/dates';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { useChangeInPlace } from './form-in-place';
import { lazyPart } from './not-loaded';
import styles from './security.module.css';

export const EmailChange = lazyPart(() => import('./email-change'));

type Props = {
  account: AccountSecurity;
  /** Whether this deployment has the accounts. */
  canChange: boolean;
};

/** The account's email, its state, and the form that changes it. */
export function EmailSection({ account, canChange }: Props) {
  const { t } = useMessages('security');
  const { phase, setPhase, section } = useChangeInPlace();
  const { email, emailVerified, lastSignIn } = account;
  const present = (
    <p className={styles.text}>
      <strong dir="ltr">{email !== null && toDisplayEmail(email)}</strong>
      <span>{` ${emailVerified ? t('email.confirmed') : t('email.unconfirmed')}`}</span>
    </p>
  );
  return (
    <section className={styles.block} ref={section} aria-labelledby="security-email">
      <h3 id="security-email" tabIndex={-1}>
        {t('email.heading')}
      </h3>
      <LateNotice>{phase === 'changed' && t('email.changed')}</LateNotice>
      {phase === 'changing' ? (
        present
      ) : (
        <div className={styles.row}>
          {present}
          {canChange && (
            <Button kind="quiet" onClick={() => setPhase('changing')}>
              {t('email.change')}
            </Button>
          )}
        </div>
      )}
      {phase === 'changing' && (
        <Suspense>
          <EmailChange
            account={account}
            use="main"
            onChanged={() => setPhase('changed')}
            onCancel={() => setPhase('canceled')}
          />
        </Suspense>
      )}
      {lastSignIn !== null && <LastSignIn moment={lastSignIn} />}
    </section>
  );
}

function LastSignIn({ moment }: { moment: string }) {
  const { t } = useMessages('security');
  return <p className={styles.soft}>{t('lastSignIn', { date: useDate(moment) })}</p>;
}
