import { useTranslation } from 'next-i18next/pages';
import { EmailHint } from '@/components/layout/email-hint';
import { useCarriedEmail } from '@/components/layout/use-carried-email';
import { useFirstFocus } from '@/components/layout/use-first-focus';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/form/text-field';
import { Form } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/password-field';
import { isBusy } from '@/components/ui/form/use-flow-form';
import { PageLink } from '@/components/ui/page-link';
import { carryEmail } from '@/lib/account/carried-email';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { EntryFailureNotice } from './entry-failure-notice';
import styles from './sign-in.module.css';
import { useSignInForm } from './use-sign-in-form';

export function PasswordForm() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const { form, tries, approach } = useSignInForm(env);
  const { fields, phase } = form;
  useCarriedEmail(fields);
  useFirstFocus('email');
  return (
    <Form label={t('form')} flow={form} onApproach={approach}>
      {phase.name === 'failed' && <EntryFailureNotice failure={phase.failure} tries={tries} onOver={form.reset} />}
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={<EmailHint form={fields} />} />
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
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('signingIn')}>
        {t('signIn')}
      </Button>
    </Form>
  );
}
