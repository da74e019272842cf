import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import { ChangePanel } from './change-panel';
import styles from './security.module.css';

type Props = {
  text: string;
  button: string;
  /** Asked in place before it is done; without it, nothing is asked. */
  question?: string;
  /** Ends one or more sessions and navigates away. @returns whether it succeeded */
  onSignOut: () => Promise<boolean>;
};

/** One way to sign out: its description, its button, and the error if it fails. */
export function SignOutChoice({ text, button, question, onSignOut }: Props) {
  const { t } = useMessages('common');
  const [phase, setPhase] = useState<'idle' | 'asking' | 'working' | 'failed'>('idle');
  const box = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(false);
  const isAsking = question !== undefined && phase !== 'idle';
  useEffect(() => {
    if (wasAsking.current && !isAsking) box.current?.querySelector('button')?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  const signOutHere = async () => {
    setPhase('working');
    if (!(await onSignOut())) setPhase('failed');
  };
  const failure = phase === 'failed' && <Notice tone="error">{t('errors.auth/session-unavailable')}</Notice>;
  if (isAsking)
    return (
      <div className={styles.block}>
        <ChangePanel stage="ask" text={question} failure={failure} onCancel={() => setPhase('idle')}>
          <Button
            kind="danger"
            busy={phase === 'working'}
            busyLabel={t('signingOut')}
            onClick={() => void signOutHere()}
          >
            {button}
          </Button>
        </ChangePanel>
      </div>
    );
  return (
    <div className={styles.block} ref={box}>
      <p>{text}</p>
      {failure}
      <div className={styles.choices}>
        <Button
          kind={question === undefined ? 'secondary' : 'danger-secondary'}
          busy={phase === 'working'}
          busyLabel={t('signingOut')}
          onClick={() => (question === undefined ? void signOutHere() : setPhase('asking'))}
        >
          {button}
        </Button>
      </div>
    </div>
  );
}
