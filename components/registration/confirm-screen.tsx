import { useRef, type ReactNode } from 'react';
import { MailboxLink } from '@/components/account-forms/mailbox-link';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/account-forms/resend-button';
import { ButtonLink, Button } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resendConfirmation, confirmEmail, type CallFailure } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { useCodeForm, restartCode } from '@/components/account-forms/code-entry';
import { OneTimeCodeField } from '@/components/account-forms/one-time-code-field';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Form, isBusy, type FlowForm } from '@/components/ui/form/form';
import type { CodeValues } from '@/lib/shared/account/code-schemas';
import { preloadAuth } from '@/lib/browser/auth/provider/firebase';
import { finishRegistration } from '@/lib/browser/auth/sign-in/finish-registration';
import { getMethodToConfirm } from '@/lib/browser/account/carried-email';
import { goToSecondFactor } from '@/lib/browser/auth/sign-in/required-step';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFirstFocus, useFreshAfterBack } from '@/lib/browser/hooks';

type Props = {
  /** A pending registration of this browser; null if no code was requested or it expired. `resendAfter` in seconds. */
  pending: { flow: string; email: string; resendAfter: number } | null;
};

/** Confirms an address with the code from the email. */
export function ConfirmScreen({ pending }: Props) {
  const { t } = useMessages('registration-confirm');
  if (!pending) return <NothingPending />;
  return (
    <AuthLayout
      heading={t('heading')}
      lead={<EmailLead text={t('sentTo')} email={pending.email} />}
      aside={<MailboxLink email={pending.email} />}
    >
      <CodeForm key={pending.flow} pending={pending}>
        {(form) => (
          <div className={styles.links}>
            <p>{t('spam')}</p>
            <ResendButton
              wait={pending.resendAfter}
              onResend={() => resendConfirmation(pending.flow)}
              onSent={() => restartCode(form)}
              onUsed={() => leaveCompleted(pending.flow)}
            />
            <PageLink href={paths.registration}>{t('otherAddress')}</PageLink>
          </div>
        )}
      </CodeForm>
    </AuthLayout>
  );
}

/** Opened in another browser, or the registration has expired: shows the reason and the next step. */
function NothingPending() {
  const { t } = useMessages('registration-confirm');
  return (
    <AuthLayout heading={t('nothing.heading')} lead={t('nothing.lead')}>
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('nothing.signIn')}
        </ButtonLink>
        <ButtonLink href={paths.registration}>{t('nothing.register')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

type CodeFormProps = {
  pending: { flow: string; email: string };
  /** Below the form. */
  children: (form: FlowForm<CodeValues, CallFailure>) => ReactNode;
};

function CodeForm({ pending, children }: CodeFormProps) {
  const { t } = useMessages('registration-confirm');
  const env = usePublicEnv();
  const completed = useRef(false);
  const form = useCodeForm<CodeValues, CallFailure>({
    schema: async () => (await import('@/lib/shared/account/code-schemas')).codeSchema,
    submit: async ({ code }) => {
      const failure = await confirm(env, pending, code);
      completed.current = failure === null;
      return failure;
    },
  });
  // Restored by the Back button, the form would send the used code again.
  useFreshAfterBack(() => {
    if (completed.current) leaveCompleted(pending.flow);
  });
  const { phase } = form;
  useFirstFocus('code');
  return (
    <>
      <Form label={t('form')} flow={form} onApproach={() => preloadAuth(env)}>
        {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onExpire={form.reset} />}
        <OneTimeCodeField flow={form} onComplete={form.onComplete} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('verifying')}>
          {t('verify')}
        </Button>
      </Form>
      {children(form)}
    </>
  );
}

async function confirm(
  env: PublicEnv,
  { flow, email }: { flow: string; email: string },
  code: string,
): Promise<CallFailure | null> {
  const result = await confirmEmail(flow, code);
  if (!result.ok) return leaveOrFail(env, flow, email, result);
  await finishRegistration(env, email, result.data.customToken);
  return null;
}

/** @returns null when the redirect to another step is in progress */
async function leaveOrFail(
  env: PublicEnv,
  flow: string,
  email: string,
  failure: CallFailure,
): Promise<CallFailure | null> {
  if (failure.code === 'code-used') leaveCompleted(flow);
  else if (!(await goToSecondFactor(env, getMethodToConfirm(email), failure.code))) return failure;
  return null;
}

/** The registration was completed before, e.g. in another tab: the next page says so and leads on. */
function leaveCompleted(flow: string): void {
  window.location.replace(pathWithFlow(paths.registrationSuccess, flow));
}
