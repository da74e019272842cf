import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import styles from './security.module.css';

type Props = {
  id: string;
  heading: string;
  text: string;
  button: string;
  /** Ends one session or more, and leads away. @returns whether it went well */
  onLeave: () => Promise<boolean>;
};

/** A way out of the account: what it does, its button, and what is said when it fails. */
export function LeaveSection({ id, heading, text, button, onLeave }: Props) {
  const { t } = useTranslation('common');
  const [phase, setPhase] = useState<'idle' | 'working' | 'failed'>('idle');
  const leave = async () => {
    setPhase('working');
    if (!(await onLeave())) setPhase('failed');
  };
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <p>{text}</p>
      {phase === 'failed' && <Notice tone="error">{t('errors.auth/session-unavailable')}</Notice>}
      <Button kind="secondary" busy={phase === 'working'} busyLabel={t('signingOut')} onClick={() => void leave()}>
        {button}
      </Button>
    </section>
  );
}
