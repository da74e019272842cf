import { useEffect, useState } from 'react';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { requestSignInLink, type CallFailure } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '../sign-in.module.css';

export type SentLink = { email: string; resendAfter: number };
type Phase = { name: 'waiting' | 'ready' | 'sending' | 'sent' } | { name: 'failed'; failure: CallFailure };

/** The email with a link or other help was sent; this page does not know which. The user can request another one. */
export function LinkSent({ link }: { link: SentLink }) {
  const { t } = useMessages('email-link');
  const [phase, setPhase] = useState<Phase>({ name: 'waiting' });
  useEffect(() => {
    if (phase.name !== 'waiting' && phase.name !== 'sent') return;
    const timer = setTimeout(() => setPhase({ name: 'ready' }), link.resendAfter * 1_000);
    return () => clearTimeout(timer);
  }, [phase.name, link.resendAfter]);

  const again = async () => {
    setPhase({ name: 'sending' });
    const result = await requestSignInLink(link.email);
    setPhase(result.ok ? { name: 'sent' } : { name: 'failed', failure: result });
  };
  return (
    <div className={styles.methods}>
      {phase.name === 'sent' && <Notice tone="success">{t('sentAgain')}</Notice>}
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} onExpire={() => setPhase({ name: 'ready' })} />
      )}
      <p>{t('again')}</p>
      {(phase.name === 'ready' || phase.name === 'sending') && (
        <Button kind="secondary" busy={phase.name === 'sending'} busyLabel={t('sending')} onClick={() => void again()}>
          {t('sign-in:emailLink')}
        </Button>
      )}
    </div>
  );
}
