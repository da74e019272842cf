import { useTranslation } from 'next-i18next/pages';
import { useEffect, useState } from 'react';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { requestSignInLink, type CallFailure } from '@/lib/account/calls';
import styles from '../sign-in.module.css';

export type SentLink = { email: string; resendAfter: number };
type Phase = { name: 'waiting' | 'ready' | 'sending' | 'sent' } | { name: 'failed'; failure: CallFailure };

/** The mail is on its way, or whatever else helps its owner: this page does not know, and another one can be asked for. */
export function LinkSent({ link }: { link: SentLink }) {
  const { t } = useTranslation('email-link');
  const [phase, setPhase] = useState<Phase>({ name: 'waiting' });
  useEffect(() => {
    if (phase.name !== 'waiting' && phase.name !== 'sent') return;
    const timer = setTimeout(() => setPhase({ name: 'ready' }), link.resendAfter * 1_000);
    return () => clearTimeout(timer);
  }, [phase.name, link.resendAfter]);

  const again = async () => {
    setPhase({ name: 'sending' });
    const answer = await requestSignInLink(link.email);
    setPhase(answer.ok ? { name: 'sent' } : { name: 'failed', failure: answer });
  };
  return (
    <div className={styles.ways}>
      {phase.name === 'sent' && <Notice tone="success">{t('sentAgain')}</Notice>}
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={() => setPhase({ name: 'ready' })} />}
      <p>{t('again')}</p>
      {(phase.name === 'ready' || phase.name === 'sending') && (
        <Button kind="secondary" busy={phase.name === 'sending'} busyLabel={t('sending')} onClick={() => void again()}>
          {t('sign-in:emailLink')}
        </Button>
      )}
    </div>
  );
}
