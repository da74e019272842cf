import { Suspense, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { EmailUse, RecoveryChange } from '@/lib/browser/account/email-change';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { lazyPart } from './not-loaded';
import styles from './security.module.css';
import { useChange } from './use-change';

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
  const {
    phase,
    dispatch,
    cancel,
    heading: headingRef,
    getButton,
  } = useChange<Change>(() => Promise.resolve({ name: 'entering' }));
  return (
    <section className={styles.block} aria-labelledby={id}>
      <h3 ref={headingRef} id={id} tabIndex={-1}>
        {heading}
      </h3>
      <LateNotice>{phase.name === 'done' && t(`email.done.${phase.change}`)}</LateNotice>
      {children(
        phase.name !== 'entering' &&
          changes.map((next) => (
            <Button key={next} kind="quiet" {...getButton(next)}>
              {t(`email.begin.${next}`)}
            </Button>
          )),
      )}
      {phase.name === 'entering' && (
        <Suspense>
          <EmailPanel
            account={account}
            change={phase.change}
            recoveryEmail={recoveryEmail}
            onChanged={() => dispatch({ type: 'advance', to: { name: 'done' } })}
            onCancel={cancel}
          />
        </Suspense>
      )}
    </section>
  );
}
