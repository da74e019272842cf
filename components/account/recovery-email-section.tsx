import type { ReactNode } from 'react';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { EmailBlock } from './email-block';
import styles from './security.module.css';

type Props = { account: AccountSecurity; email: string | null };

/** The account's recovery email, and the forms that add and change it. */
export function RecoveryEmailSection({ account, email }: Props) {
  const { t } = useMessages('security');
  return (
    <EmailBlock
      id="security-recovery-email"
      heading={t('email.recoveryLabel')}
      account={account}
      recoveryEmail={email}
      changes={email === null ? ['recovery'] : ['use', 'remove']}
    >
      {(buttons: ReactNode) => (
        <>
          {email !== null && (
            <p className={styles.text}>
              <strong dir="ltr">{toDisplayEmail(email)}</strong>
            </p>
          )}
          <p className={styles.intro}>{t('email.recoveryText')}</p>
          {buttons && <div className={styles.flush}>{buttons}</div>}
        </>
      )}
    </EmailBlock>
  );
}
