import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { sendSignInHelp, type CallFailure } from '@/lib/browser/account/api';
import type { EmailValues } from '@/lib/shared/account/email-rules';
import { useMessages } from '@/lib/browser/use-messages';

type Phase = { name: 'idle' } | { name: 'sending' } | { name: 'sent' } | { name: 'failed'; failure: CallFailure };

/** "How do I sign in?": the response goes to the inbox, never to the screen. */
export function SignInHelp({ form }: { form: UseFormReturn<EmailValues> }) {
  const { t } = useMessages('forget-password');
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  const send = async () => {
    if (!(await form.trigger('email', { shouldFocus: true }))) return;
    setPhase({ name: 'sending' });
    const result = await sendSignInHelp(form.getValues('email'));
    setPhase(result.ok ? { name: 'sent' } : { name: 'failed', failure: result });
  };
  return (
    <>
      <Button kind="secondary" busy={phase.name === 'sending'} busyLabel={t('sending')} onClick={() => void send()}>
        {t('help.button')}
      </Button>
      {phase.name === 'sent' && <Notice tone="success">{t('help.sent')}</Notice>}
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onExpire={() => setPhase({ name: 'idle' })} />}
    </>
  );
}
