import { useEffect, useRef } from 'react';
import { MailboxLink, useReturnByLink } from '@/components/account-forms/mailbox-link';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/account-forms/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resendConfirmation, confirmEmail, type CallFailure } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { useCodeEnd, useCodeForm, restartCode } from '@/components/account-forms/code-entry';
import { CodeForm } from '@/components/account-forms/code-form';
import type { CodeValues } from '@/lib/shared/account/code-schemas';
import { finishRegistration } from '@/lib/browser/auth/sign-in/finish-registration';
import { keepMethodToConfirm } from '@/lib/browser/account/carried-email';
import { goToSecondFactor } from '@/lib/browser/auth/sign-in/required-step';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFirstFocus, useFreshAfterBack } from '@/lib/browser/hooks';
import { onMessage } from '@/lib/browser/session/state';

/**
 * A registration of this browser that waits for its code. `method`: the registration's method. `resendAfter` and
 * `worksFor`: in seconds. `finishesSignIn`: whether a sign-in to an unconfirmed account led here.
 */
type PendingRegistration = {
  flow: string;
  email: string;
  method: string;
  resendAfter: number;
  worksFor: number;
  finishesSignIn: boolean;
};

/**
 * Confirms an address with the code from the email. @param props `pending`: null if no code was requested or it has
 * expired
 */
export function ConfirmScreen({ pending }: { pending: PendingRegistration | null }) {
  const { t } = useMessages('registration-confirm');
  if (!pending) return <NothingPending />;
  return (
    <AuthLayout
      step="code"
      heading={pending.finishesSignIn ? t('headingOfSignIn') : t('heading')}
      lead={<EmailLead text={t('sentTo')} email={pending.email} />}
      aside={<MailboxLink email={pending.email} />}
    >
      <ConfirmForm key={pending.flow} pending={pending} />
    </AuthLayout>
  );
}

/** The page was opened in another browser, or the registration has expired. Shows the reason and the next step. */
function NothingPending() {
  const { t } = useMessages('registration-confirm');
  return (
    <AuthLayout heading={t('nothing.heading')} lead={t('nothing.lead')}>
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.registration}>
          {t('nothing.register')}
        </ButtonLink>
        <ButtonLink href={paths.signIn}>{t('nothing.signIn')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}

function ConfirmForm({ pending }: { pending: PendingRegistration }) {
  const { t } = useMessages('registration-confirm');
  const env = usePublicEnv();
  const completed = useRef(false);
  const form = useCodeForm<CodeValues, CallFailure>({
    schema: async () => (await import('@/lib/shared/account/code-schemas')).codeSchema,
    submit: async ({ code }) => {
      const { flow, email, method } = pending;
      const result = await confirmEmail(flow, code);
      if (result.ok) await finishRegistration(env, { flow, method, ...result.data });
      else if (result.code === 'code-used') leaveCompleted(flow);
      else {
        keepMethodToConfirm(email, method);
        if (!(await goToSecondFactor(env, method, result.code))) return result;
      }
      completed.current = true;
      return null;
    },
  });
  // If the Back button restored the form, it would send the used code again.
  useFreshAfterBack(() => {
    if (completed.current) leaveCompleted(pending.flow);
  });
  useEffect(
    () =>
      onMessage((message) => {
        // If the emailed link has signed in in another tab, the server leads on. It knows which account this page is for.
        if (message === 'signed-in' && !completed.current) window.location.reload();
      }),
    [],
  );
  const code = useCodeEnd(pending.worksFor);
  useFirstFocus('code');
  useReturnByLink(pending.email);
  return (
    <>
      <CodeForm
        form={form}
        texts={{ form: t('form'), verify: t('verify'), verifying: t('verifying') }}
        until={code.until}
      />
      <div className={styles.links}>
        <ResendButton
          wait={pending.resendAfter}
          onResend={() => resendConfirmation(pending.flow)}
          onSent={() => {
            code.renew();
            restartCode(form);
          }}
          onUsed={() => leaveCompleted(pending.flow)}
        />
        <PageLink href={paths.registration}>{t('otherAddress')}</PageLink>
      </div>
    </>
  );
}

/** The registration was already completed, for example in another tab. The next page explains this and continues. */
function leaveCompleted(flow: string): void {
  window.location.replace(pathWithFlow(paths.registrationSuccess, flow));
}
