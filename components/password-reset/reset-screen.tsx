import Router from 'next/router';
import { useRef } from 'react';
import { NewPasswordFields } from '@/components/account-forms/new-password-fields';
import { restartCode, useCodeEnd, useCodeForm } from '@/components/account-forms/code-entry';
import { OneTimeCodeField } from '@/components/account-forms/one-time-code-field';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { ResendButton } from '@/components/account-forms/resend-button';
import { AuthLayout } from '@/components/layout/auth-layout';
import { EmailLead } from '@/components/layout/email-lead';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { Form, isBusy } from '@/components/ui/form/form';
import { PageLink } from '@/components/ui/page-link';
import { confirmReset, resendReset, type CallFailure } from '@/lib/browser/account/api';
import type { CodeAndPasswordValues } from '@/lib/browser/account/reset-schema';
import { finishReset } from '@/lib/browser/auth/sign-in/finish-reset';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFirstFocus, useFreshAfterBack } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { pathWithFlow, paths } from '@/lib/shared/paths';

/** Sets a new password with the code from the email. */
export function ResetScreen({ pending }: { pending: PendingReset | null }) {
  const { t } = useMessages('reset-password');
  if (!pending) {
    // The page was opened in another browser, or the reset has expired.
    return (
      <AuthLayout heading={t('nothing.heading')} lead={t('nothing.lead')}>
        <ButtonLink kind="primary" href={paths.forgetPassword}>
          {t('nothing.ask')}
        </ButtonLink>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout step="code" heading={t('heading')} lead={<EmailLead text={t('lead')} email={pending.email} />}>
      <ResetForm key={pending.flow} pending={pending} />
    </AuthLayout>
  );
}

/** A reset that waits for its code. `resendAfter` and `worksFor`: in seconds. */
export type PendingReset = { flow: string; email: string; resendAfter: number; worksFor: number };

/** The code and the new password, with a button for another code. */
export function ResetForm({ pending: { flow, email, resendAfter, worksFor } }: { pending: PendingReset }) {
  const { t } = useMessages('reset-password');
  const env = usePublicEnv();
  const isUsed = useRef(false);
  // If the Back button restored the form, it would send the used code again.
  useFreshAfterBack(() => {
    if (isUsed.current) void showChanged(flow);
  });
  const form = useCodeForm<CodeAndPasswordValues, CallFailure>({
    schema: async () => (await import('@/lib/browser/account/reset-schema')).codeAndPasswordSchema,
    submit: async ({ code, password }) => {
      const result = await confirmReset(flow, code, password);
      isUsed.current = result.ok;
      if (result.ok) await finishReset(env, result.data);
      else if (result.code === 'code-used') await showChanged(flow);
      return result.ok ? null : result;
    },
  });
  const { phase } = form;
  const code = useCodeEnd(worksFor);
  useFirstFocus('code');
  return (
    <>
      <Form label={t('form')} flow={form}>
        {phase.name === 'failed' && <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset} />}
        <OneTimeCodeField flow={form} until={code.until} />
        <NewPasswordFields flow={form} email={email} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('resetting')}>
          {t('reset')}
        </Button>
      </Form>
      <div className={styles.links}>
        <p>{t('otherDevice')}</p>
        <ResendButton
          wait={resendAfter}
          onResend={() => resendReset(flow)}
          onSent={() => {
            code.renew();
            restartCode(form);
          }}
          onUsed={() => void showChanged(flow)}
        />
        <PageLink href={paths.forgetPassword}>{t('otherAddress')}</PageLink>
      </div>
    </>
  );
}

/** The password was already changed, for example by the link in another tab. The next page explains this. */
function showChanged(flow: string): Promise<boolean> {
  return Router.replace(pathWithFlow(paths.forgetPasswordConfirmation, flow));
}
