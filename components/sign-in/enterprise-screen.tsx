import { useState } from 'react';
import { useCarriedEmail } from '@/components/account-forms/email-hint';
import { SignInFailureNotice } from '@/components/account-forms/sign-in-failure-notice';
import { useRefusal } from '@/components/account-forms/use-refusal';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useMessages } from '@/lib/browser/use-messages';
import { useFirstFocus, useFreshAfterBack } from '@/lib/browser/hooks';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/form/fields';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { Notice } from '@/components/ui/notice';
import { emailRules, type EmailValues } from '@/lib/shared/account/email-rules';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { type SignInFailure, errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { preloadAuth } from '@/lib/browser/auth/provider/firebase';
import { useRedirectReturn } from '@/lib/browser/auth/redirect/use-redirect-return';
import { usePublicEnv } from '@/lib/browser/config/context';
import { BackToSignIn } from './back-to-sign-in';

/** Signs in with an organization, which is looked up by the work email address (docs/product.md#screens). */
export function EnterpriseScreen({ bounced }: { bounced?: boolean | null }) {
  const { t } = useMessages('enterprise');
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout heading={t('heading')}>
      <EnterpriseForm />
      <BackToSignIn />
    </AuthLayout>
  );
}

function EnterpriseForm() {
  const { t } = useMessages('enterprise');
  const env = usePublicEnv();
  const back = useRedirectReturn((provider) => provider.startsWith('saml.'));
  /** The failure of the previous sign-in is obsolete after the next attempt, and after Back. */
  const [isBackOver, setIsBackOver] = useState(false);
  useFreshAfterBack(() => setIsBackOver(true));
  const form = useFlowForm<EmailValues, SignInFailure>({
    schema: emailRules,
    submit: async ({ email }) => {
      setIsBackOver(true);
      carriedEmail.set(email);
      return (await import('@/lib/browser/auth/sign-in/sso')).signInWithEnterprise(env, email);
    },
  });
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus('email');
  const submitted = phase.name === 'failed' ? phase.failure : null;
  // The field shows a refusal of the lookup.
  const refused = submitted !== null && isAboutEmail(submitted);
  const refusal = useRefusal(form, 'email', refused ? t(errorTextKey(submitted.code), submitted) : null);
  const before = isBackOver ? null : back;
  const failure = before?.name === 'failed' ? before.failure : submitted;
  const expire = () => {
    setIsBackOver(true);
    form.reset();
  };
  return (
    <Form label={t('form')} flow={form} onApproach={() => preloadAuth(env)}>
      {failure && !refused && <SignInFailureNotice failure={failure} onExpire={expire} />}
      {before?.name === 'unanswered' && <Notice tone="info">{t('unanswered')}</Notice>}
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={t('hint')} refusal={refusal} />
      <Button type="submit" busy={isBusy(phase) || before?.name === 'finishing'} busyLabel={t('sign-in:signingIn')}>
        {t('common:continueWith', { provider: t('providers:sso') })}
      </Button>
    </Form>
  );
}

/** Whether the lookup of an organization refused the email address. */
function isAboutEmail(failure: SignInFailure): boolean {
  return /^auth\/invalid-(?:sso|enterprise)/.test(failure.code);
}
