import { AuthLayout } from '@/components/layout/auth-layout';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import styles from '@/components/layout/flow.module.css';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { useRefusal } from '@/components/account-forms/use-refusal';
import { Button } from '@/components/ui/button';
import { Form, isBusy, useFlowForm } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/fields';
import type { ProviderAction } from '@/lib/shared/account/email-action';
import { emailRules, type EmailValues } from '@/lib/shared/account/email-rules';
import { signInByLink } from '@/lib/browser/account/email-action';
import { type SignInFailure, errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { UnusableLink } from './unusable-link';
import { isLinkUnusable, useCallOnArrival } from './use-email-action';

type Props = {
  action: ProviderAction;
  /**
   * The email address for which this browser requested the link. Null on another device, where the user must enter it.
   */
  email: string | null;
};

const OTHER_ADDRESS = 'auth/invalid-email-for-sign-in-link';

/** Signs in with an email link, at once in the browser that requested it. */
export function LinkSignIn({ action, email }: Props) {
  return email === null ? <LinkForm action={action} /> : <RequestedLink action={action} email={email} />;
}

/**
 * A link that this browser requested. It signs in by itself. Email scanners open links too, but none is this browser.
 */
function RequestedLink({ action, email }: { action: ProviderAction; email: string }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const { failure, isUnderWay, act, reset } = useCallOnArrival(() => signInByLink(env, action, email));
  // The link expired or was used after the check, maybe by an attempt whose response was lost.
  if (failure && isLinkUnusable(failure.code)) return <UnusableLink mode="signIn" code={failure.code} />;
  return (
    <AuthLayout
      heading={t('heading.signIn')}
      lead={
        <strong className={styles.address} dir="ltr">
          {toDisplayEmail(email)}
        </strong>
      }
    >
      <div className={styles.stack}>
        {failure && <ProblemNotice failure={failure} hasForm={false} onExpire={reset} />}
        <Button busy={isUnderWay} busyLabel={t('signIn.busy')} onClick={act}>
          {t('signIn.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** A link on another device. It requires a click, so that an email scanner that opens the link does not consume it. */
function LinkForm({ action }: { action: ProviderAction }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const form = useFlowForm<EmailValues, SignInFailure>({
    schema: emailRules,
    submit: (values) => signInByLink(env, action, values.email),
  });
  const { fields, phase } = form;
  const isAboutField = phase.name === 'failed' && phase.failure.code === OTHER_ADDRESS;
  const refusal = useRefusal(form, 'email', isAboutField ? t(errorTextKey(OTHER_ADDRESS)) : null);
  if (phase.name === 'failed' && isLinkUnusable(phase.failure.code))
    return <UnusableLink mode="signIn" code={phase.failure.code} />;
  return (
    <AuthLayout heading={t('heading.signIn')} lead={t('signIn.lead')}>
      <Form label={t('signIn.form')} flow={form}>
        {phase.name === 'failed' && !isAboutField && (
          <ProblemNotice failure={phase.failure} hasForm onExpire={form.reset} />
        )}
        <EmailField form={fields} name="email" label={t('common:fields.email')} refusal={refusal} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('signIn.busy')}>
          {t('signIn.button')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
