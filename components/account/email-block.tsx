import { Suspense, useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { EmailUse, RecoveryChange } from '@/lib/browser/account/email-change';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useChangeInPlace } from './form-in-place';
import { lazyPart } from './not-loaded';
import styles from './security.module.css';

const EmailPanel = lazyPart(() => import('./email-panel'));

type Change = EmailUse | RecoveryChange;
type Props = {
  id: string;
  heading: string;
  account: AccountSecurity;
  recoveryEmail?: string | null;
  /** The changes that the learner can begin. */
  changes: readonly Change[];
  /** Renders what the account has. `buttons`: begin a change; empty during one. */
  children: (buttons: ReactNode) => ReactNode;
};

/** A part of /security about an email: what the account has, and the form that changes it in its place. */
export function EmailBlock({ id, heading, account, recoveryEmail, changes, children }: Props) {
  const { t } = useMessages('security');
  const { phase, setPhase, section } = useChangeInPlace();
  const [change, setChange] = useState<Change>('main');
  const begin = (next: Change) => {
    setChange(next);
    setPhase('changing');
  };
  return (
    <section className={styles.block} ref={section} aria-labelledby={id}>
      <h3 id={id} tabIndex={-1}>
        {heading}
      </h3>
      <LateNotice>{phase === 'changed' && t(`email.done.${change}`)}</LateNotice>
      {children(
        phase !== 'changing' &&
          changes.map((next) => (
            <Button key={next} kind="quiet" onClick={() => begin(next)}>
              {t(`email.begin.${next}`)}
            </Button>
          )),
      )}
      {phase === 'changing' && (
        <Suspense>
          <EmailPanel
            account={account}
            change={change}
            recoveryEmail={recoveryEmail}
            onChanged={() => setPhase('changed')}
            onCancel={() => setPhase('canceled')}
          />
        </Suspense>
      )}
    </section>
  );
}
