import { useRouter } from 'next/router';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { requestReset, sendSignInHelp, type CallFailure } from '@/lib/browser/account/api';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { EmailValues } from '@/lib/shared/account/email-rules';

/** Requests a reset code, or help for users who do not know their sign-in method. */
export function RequestScreen() {
  const { t } = useMessages('forget-password');
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <RequestForm />
      <p className={styles.links}>
        <PageLink href={paths.signIn}>{t('back')}</PageLink>
      </p>
    </AuthLayout>
  );
}

function RequestForm() {
  const { t } = useMessages('forget-password');
  const router = useRouter();
  const request = async (email: string) => {
    const answer = await requestReset(email);
    if (!answer.ok) return answer;
    await router.push(pathWithFlow(paths.forgetPasswordInstructions, answer.data.flow));
    return null;
  };
  const texts = { form: t('form'), send: t('send'), sending: t('sending') };
  return <EmailRequestForm texts={texts} request={request} below={(fields) => <SignInHelp form={fields} />} />;
}

type Phase = { name: 'idle' } | { name: 'sending' } | { name: 'sent' } | { name: 'failed'; failure: CallFailure };

/** "How do I sign in?": the response goes to the inbox, never to the screen. */
function SignInHelp({ form }: { form: UseFormReturn<EmailValues> }) {
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
      <LateNotice>{phase.name === 'sent' && t('help.sent')}</LateNotice>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onExpire={() => setPhase({ name: 'idle' })} />}
    </>
  );
}
