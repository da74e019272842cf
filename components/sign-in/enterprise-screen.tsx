import { useCarriedEmail } from '@/components/account-forms/email-hint';
import { SignInFailureNotice } from '@/components/account-forms/sign-in-failure-notice';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useMessages } from '@/lib/browser/use-messages';
import { useFirstFocus } from '@/lib/browser/hooks';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/form/fields';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { Notice } from '@/components/ui/notice';
import { emailRules, type EmailValues } from '@/lib/shared/account/email-rules';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
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
  const back = useRedirectReturn();
  const form = useFlowForm<EmailValues, SignInFailure>({
    schema: emailRules,
    submit: async ({ email }, { setError }) => {
      const refusal = await (await import('@/lib/browser/auth/sign-in/sso')).signInWithEnterprise(env, email);
      if (isAboutEmail(refusal)) setError('email', { message: errorTextKey(refusal.code) }, { shouldFocus: true });
      return refusal;
    },
  });
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus('email');
  // What the lookup refused is shown at the field.
  const submitted = phase.name === 'failed' && !isAboutEmail(phase.failure) ? phase.failure : null;
  const failure = phase.name !== 'failed' && back.name === 'failed' ? back.failure : submitted;
  return (
    <Form label={t('form')} flow={form} onApproach={() => preloadAuth(env)}>
      {failure && <SignInFailureNotice failure={failure} onExpire={form.reset} />}
      {back.name === 'unanswered' && phase.name === 'idle' && <Notice tone="info">{t('unanswered')}</Notice>}
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={t('hint')} />
      <Button type="submit" busy={isBusy(phase) || back.name === 'finishing'} busyLabel={t('sign-in:signingIn')}>
        {t('common:continueWith', { provider: t('providers:sso') })}
      </Button>
    </Form>
  );
}

/** What the lookup of an organization refuses about the address. */
function isAboutEmail(failure: SignInFailure | null): failure is SignInFailure {
  return failure !== null && /^auth\/invalid-(?:sso|enterprise)/.test(failure.code);
}
