import { useEffect, useRef, useState } from 'react';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ProblemNotice, type FlowFailure } from '@/components/account-forms/problem-notice';
import { Button } from '@/components/ui/button';
import { verifyEmail } from '@/lib/browser/account/email-action';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { UnusableLink } from './unusable-link';
import { getLinkEnd, toLinkFailureWithoutForm } from './link-failure';

type Props = {
  code: string;
  email: string;
  canResend: boolean;
  /** @param customToken to sign in with, as after the code */
  onVerified: (customToken?: string) => void;
  /** The server no longer recognizes this browser as the one that requested the link. */
  onNewPassword: () => void;
};
type Phase = { name: 'idle' | 'busy' } | { name: 'failed'; failure: FlowFailure };

/** A link requested by this browser: confirms automatically, without a click. */
export function VerifyPanel({ code, email, canResend, onVerified, onNewPassword }: Props) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>({ name: 'busy' });

  const confirm = async () => {
    setPhase({ name: 'busy' });
    const result = await verifyEmail(env, code);
    if (result.ok) return onVerified(result.data.customToken);
    if (result.code === 'new-password-required') return onNewPassword();
    setPhase({ name: 'failed', failure: toLinkFailureWithoutForm(result) });
  };
  useOnce(confirm);

  const end = phase.name === 'failed' ? getLinkEnd(phase.failure) : null;
  if (end !== null) return <UnusableLink mode="verifyEmail" code={end} canResend={canResend} />;
  return (
    <AuthLayout heading={t('heading.verifyEmail')} lead={<EmailLead text={t('verify.lead')} email={email} />}>
      <div className={styles.stack}>
        {phase.name === 'failed' && (
          <ProblemNotice failure={phase.failure} onExpire={() => setPhase({ name: 'idle' })} />
        )}
        <Button busy={phase.name === 'busy'} busyLabel={t('verify.busy')} onClick={() => void confirm()}>
          {t('verify.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** Runs once, even where React runs effects twice. */
function useOnce(run: () => Promise<void>): void {
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void run();
    // `run` does not depend on later renders.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
