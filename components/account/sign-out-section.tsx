import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './security.module.css';

type Props = {
  id: string;
  heading: string;
  text: string;
  button: string;
  /** Ends one or more sessions and navigates away. @returns whether it succeeded */
  onSignOut: () => Promise<boolean>;
};

/** A sign-out section: description, button, and the error if it fails. */
export function SignOutSection({ id, heading, text, button, onSignOut }: Props) {
  const { t } = useMessages('common');
  const [phase, setPhase] = useState<'idle' | 'working' | 'failed'>('idle');
  const signOutHere = async () => {
    setPhase('working');
    if (!(await onSignOut())) setPhase('failed');
  };
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <p>{text}</p>
      {phase === 'failed' && <Notice tone="error">{t('errors.auth/session-unavailable')}</Notice>}
      <Button
        kind="secondary"
        busy={phase === 'working'}
        busyLabel={t('signingOut')}
        onClick={() => void signOutHere()}
      >
        {button}
      </Button>
    </section>
  );
}
