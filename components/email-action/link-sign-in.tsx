import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { EmailField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import type { EmailAction } from '@/lib/account/email-action';
import { emailRules, type EmailValues } from '@/lib/account/email-rules';
import { signInByLink } from '@/lib/auth/email-action';
import type { EntryFailure } from '@/lib/auth/enter';
import { usePublicEnv } from '@/lib/config/public-env-context';

type Props = {
  action: EmailAction;
  /** The address the link was asked for in this browser; null on another device, where it is asked for. */
  email: string | null;
};

/** Signing in with a link. One press, so that a mail scanner that opens the link does not use it up. */
export function LinkSignIn({ action, email }: Props) {
  const { t } = useTranslation('actions');
  const env = usePublicEnv();
  const form = useFlowForm<EmailValues, EntryFailure>({
    schema: emailRules,
    ...(email !== null && { defaults: { email } }),
    submit: (values) => signInByLink(env, action, values.email),
  });
  const { fields, phase } = form;
  return (
    <AuthLayout
      heading={t('heading.signIn')}
      lead={email === null ? t('signIn.lead') : <strong className={styles.address}>{email}</strong>}
    >
      <Form label={t('signIn.form')} flow={form}>
        {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={form.reset} />}
        {email === null && <EmailField form={fields} name="email" label={t('common:fields.email')} />}
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('signIn.busy')}>
          {t('signIn.button')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
