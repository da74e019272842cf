import { Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { RecoveryChange as Change } from '@/lib/browser/account/email-change';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { EmailChange } from './email-section';
import { useChangeInPlace } from './form-in-place';
import { lazyPart } from './not-loaded';
import styles from './security.module.css';

const RecoveryChange = lazyPart(() => import('./recovery-change'));

type Props = { account: AccountSecurity; email: string | null };

/** The account's recovery email, and the forms that add and change it. */
export function RecoveryEmailSection({ account, email }: Props) {
  const { t } = useMessages('security');
  const { phase, setPhase, section } = useChangeInPlace();
  const [change, setChange] = useState<'add' | Change>('add');
  const begin = (next: 'add' | Change) => {
    setChange(next);
    setPhase('changing');
  };
  const getDone = () => {
    if (change === 'use') return t('email.changed');
    return change === 'add' ? t('email.recoveryAdded') : t('email.recoveryRemoved');
  };
  const panel = { account, onChanged: () => setPhase('changed'), onCancel: () => setPhase('canceled') };
  return (
    <section className={styles.block} ref={section} aria-labelledby="security-recovery-email">
      <h3 id="security-recovery-email" tabIndex={-1}>
        {t('email.recoveryLabel')}
      </h3>
      <LateNotice>{phase === 'changed' && getDone()}</LateNotice>
      {email !== null && (
        <p className={styles.text}>
          <strong dir="ltr">{toDisplayEmail(email)}</strong>
        </p>
      )}
      <p className={styles.intro}>{t('email.recoveryText')}</p>
      {phase === 'changing' ? (
        <Suspense>
          {change === 'add' || email === null ? (
            <EmailChange {...panel} use="recovery" />
          ) : (
            <RecoveryChange {...panel} change={change} email={email} />
          )}
        </Suspense>
      ) : (
        <div className={styles.flush}>
          {email === null ? (
            <Button kind="quiet" onClick={() => begin('add')}>
              {t('email.addRecovery')}
            </Button>
          ) : (
            <>
              <Button kind="quiet" onClick={() => begin('use')}>
                {t('email.useRecovery')}
              </Button>
              <Button kind="quiet" onClick={() => begin('remove')}>
                {t('email.removeRecovery')}
              </Button>
            </>
          )}
        </div>
      )}
    </section>
  );
}
