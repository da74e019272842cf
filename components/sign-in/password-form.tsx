import { EmailHint } from '@/components/account-forms/email-hint';
import { useCarriedEmail } from '@/components/account-forms/use-carried-email';
import { useFirstFocus } from '@/components/account-forms/use-first-focus';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/form/text-field';
import { Form } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/password-field';
import { isBusy } from '@/components/ui/form/use-flow-form';
import { PageLink } from '@/components/ui/page-link';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { SignInFailureNotice } from './sign-in-failure-notice';
import styles from '@/components/providers/methods.module.css';
import { useSignInForm } from './use-sign-in-form';
import { SharedComputer } from './shared-computer';

export function PasswordForm() {
  const { t } = useMessages('sign-in');
  const env = usePublicEnv();
  const { form, tries, approach } = useSignInForm(env);
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus('email');
  return (
    <Form label={t('form')} flow={form} onApproach={approach}>
      {phase.name === 'failed' && <SignInFailureNotice failure={phase.failure} tries={tries} onExpire={form.reset} />}
      <EmailField
        form={fields}
        name="email"
        label={t('common:fields.email')}
        hint={<EmailHint form={fields} />}
        autoComplete={env.passkeys ? 'username webauthn' : 'username'}
      />
      <PasswordField
        form={fields}
        name="password"
        label={t('common:fields.password')}
        autoComplete="current-password"
      />
      <p className={styles.below}>
        <PageLink href={paths.forgetPassword} onClick={() => carryEmail(fields.getValues('email') ?? '')}>
          {t('forgotPassword')}
        </PageLink>
      </p>
      <SharedComputer />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('signingIn')}>
        {t('signIn')}
      </Button>
    </Form>
  );
}
