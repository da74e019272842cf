import type { ReactNode } from 'react';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { EmailBlock } from './email-block';
import styles from './security.module.css';

type Props = {
  account: AccountSecurity;
  /** Whether this deployment has the accounts. */
  canChange: boolean;
};

/** The account's email, its state, and the form that changes it. */
export function EmailSection({ account, canChange }: Props) {
  const { t } = useMessages('security');
  const { email, emailVerified } = account;
  return (
    <EmailBlock id="security-email" heading={t('email.heading')} account={account} changes={canChange ? ['main'] : []}>
      {(buttons: ReactNode) => (
        <div className={styles.row}>
          <p className={styles.text}>
            <span dir="ltr">{email !== null && toDisplayEmail(email)}</span>
            <span>{emailVerified ? t('email.confirmed') : t('email.unconfirmed')}</span>
          </p>
          {buttons}
        </div>
      )}
    </EmailBlock>
  );
}
