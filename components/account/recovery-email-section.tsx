import { Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { RecoveryChange as Change } from '@/lib/browser/account/email-change';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { EmailPanel } from './email-section';
import { useChangeInPlace } from './form-in-place';
import styles from './security.module.css';

const ADDITION = ['recovery'] as const;
const CHANGES = ['use', 'remove'] as const;

type Props = { account: AccountSecurity; email: string | null };

/** The account's recovery email, and the forms that add and change it. */
export function RecoveryEmailSection({ account, email }: Props) {
  const { t } = useMessages('security');
  const { phase, setPhase, section } = useChangeInPlace();
  const [change, setChange] = useState<'recovery' | Change>('recovery');
  const begin = (next: typeof change) => {
    setChange(next);
    setPhase('changing');
  };
  return (
    <section className={styles.block} ref={section} aria-labelledby="security-recovery-email">
      <h3 id="security-recovery-email" tabIndex={-1}>
        {t('email.recoveryLabel')}
      </h3>
      <LateNotice>{phase === 'changed' && t(`email.done.${change}`)}</LateNotice>
      {email !== null && (
        <p className={styles.text}>
          <strong dir="ltr">{toDisplayEmail(email)}</strong>
        </p>
      )}
      <p className={styles.intro}>{t('email.recoveryText')}</p>
      {phase === 'changing' ? (
        <Suspense>
          <EmailPanel
            account={account}
            change={change}
            recoveryEmail={email}
            onChanged={() => setPhase('changed')}
            onCancel={() => setPhase('canceled')}
          />
        </Suspense>
      ) : (
        <div className={styles.flush}>
          {(email === null ? ADDITION : CHANGES).map((next) => (
            <Button key={next} kind="quiet" onClick={() => begin(next)}>
              {t(`email.begin.${next}`)}
            </Button>
          ))}
        </div>
      )}
    </section>
  );
}
