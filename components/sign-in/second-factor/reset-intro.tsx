import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import type { CallFailure } from '@/lib/browser/account/api';
import { requestResetCode } from '@/lib/browser/second-factor/reset';
import { useFreshAfterBack } from '@/lib/browser/use-fresh-after-back';
import { useMessages } from '@/lib/browser/use-messages';
import { ResetFailureNotice } from './reset-failure-notice';
import { SwitchButton } from './switch-button';

type Props = {
  check: (failure: CallFailure) => CallFailure | null;
  /** The code was emailed; `wait`: seconds until another can be. */
  onSent: (wait: number) => void;
  onBack: () => void;
};

type Phase = { name: 'idle' } | { name: 'sending' } | { name: 'failed'; failure: CallFailure };

/** What a reset is, before it is asked for. */
export function ResetIntro({ check, onSent, onBack }: Props) {
  const { t } = useMessages('second-factor');
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  useFreshAfterBack(() => setPhase({ name: 'idle' }));
  const send = async () => {
    setPhase({ name: 'sending' });
    const result = await requestResetCode();
    if (result.ok) return onSent(result.data.resendAfter);
    const failure = check(result);
    if (failure !== null) setPhase({ name: 'failed', failure });
  };
  return (
    <AuthLayout heading={t('reset.heading')} lead={t('reset.lead')}>
      <div className={styles.stack}>
        <ul className={styles.facts}>
          {(['email', 'wait', 'cancel', 'signedOut'] as const).map((fact) => (
            <li key={fact}>{t(`reset.${fact}`)}</li>
          ))}
        </ul>
        {phase.name === 'failed' && (
          <ResetFailureNotice failure={phase.failure} onExpire={() => setPhase({ name: 'idle' })} />
        )}
        <Button busy={phase.name === 'sending'} busyLabel={t('reset.sending')} onClick={() => void send()}>
          {t('reset.send')}
        </Button>
        <SwitchButton onClick={onBack}>{t('code.instead')}</SwitchButton>
      </div>
    </AuthLayout>
  );
}
