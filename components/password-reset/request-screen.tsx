import { useRouter } from 'next/router';
import { useState, type MouseEvent } from 'react';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { useAttempt } from '@/lib/browser/hooks';
import { useCall } from '@/lib/browser/use-call';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { requestPasswordReset, sendSignInHelp } from '@/lib/browser/account/api';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { takeFieldValues } from '@/components/ui/form/form';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { EmailValues } from '@/lib/shared/account/email-rules';

/** Requests a reset code, or help for users who do not know their sign-in method. */
export function RequestScreen() {
  const { t } = useMessages('forget-password');
  const router = useRouter();
  const request = async (email: string) => {
    const answer = await requestPasswordReset(email);
    if (!answer.ok) return answer;
    await router.push(pathWithFlow(paths.forgetPasswordInstructions, answer.data.flow));
    return null;
  };
  const texts = { form: t('form'), send: t('send'), sending: t('sending') };
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <EmailRequestForm texts={texts} request={request} below={(fields) => <SignInHelp form={fields} />} />
      <p className={styles.links}>
        <PageLink href={paths.signIn} onClick={carryTypedEmail}>
          {t('back')}
        </PageLink>
      </p>
    </AuthLayout>
  );
}

/** "How do I sign in?": the answer goes to the inbox, never to the screen. */
function SignInHelp({ form }: { form: UseFormReturn<EmailValues> }) {
  const { t } = useMessages('forget-password');
  const email = useWatch({ control: form.control, name: 'email' });
  const [sentTo, setSentTo] = useState('');
  const { phase, failure, act, reset } = useCall(() => {
    setSentTo(form.getValues('email'));
    return sendSignInHelp(form.getValues('email'));
  });
  const begin = useAttempt(reset);
  const send = async (event: MouseEvent<HTMLButtonElement>) => {
    takeFieldValues(event.currentTarget.form, form);
    if (!(await form.trigger('email', { shouldFocus: true }))) return;
    begin();
    act();
  };
  return (
    <>
      <div className={styles.resend}>
        <Button kind="quiet" busy={phase === 'busy'} busyLabel={t('sending')} onClick={(event) => void send(event)}>
          {t('help.button')}
        </Button>
      </div>
      <LateNotice>{phase === 'done' && sentTo === email && t('help.sent')}</LateNotice>
      {phase === 'failed' && failure && <ProblemNotice failure={failure} hasForm onExpire={reset} />}
    </>
  );
}
