import { useTranslation } from 'next-i18next/pages';
import { useFirstFocus } from '@/components/layout/use-first-focus';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/form/text-field';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { Notice } from '@/components/ui/notice';
import { emailRules, type EmailValues } from '@/lib/account/email-rules';
import type { EntryFailure } from '@/lib/auth/enter';
import { preloadAuth } from '@/lib/auth/firebase';
import { useRedirectReturn } from '@/lib/auth/use-redirect-return';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { EntryFailureNotice } from '../entry-failure-notice';

export function EnterpriseForm() {
  const { t } = useTranslation('enterprise');
  const env = usePublicEnv();
  const back = useRedirectReturn();
  const form = useFlowForm<EmailValues, EntryFailure>({
    schema: emailRules,
    submit: async ({ email }) => (await import('@/lib/auth/enterprise')).signInWithEnterprise(env, email),
  });
  const { fields, phase } = form;
  useFirstFocus('email');
  const failure = phase.name === 'failed' ? phase.failure : back.name === 'failed' ? back.failure : null;
  return (
    <Form label={t('form')} flow={form} onApproach={() => preloadAuth(env)}>
      {failure && <EntryFailureNotice failure={failure} tries={0} onOver={form.reset} />}
      {back.name === 'unanswered' && phase.name === 'idle' && <Notice tone="info">{t('unanswered')}</Notice>}
      <EmailField form={fields} name="email" label={t('common:fields.email')} hint={t('hint')} />
      <Button type="submit" busy={isBusy(phase) || back.name === 'finishing'} busyLabel={t('sign-in:signingIn')}>
        {t('common:continueWith', { provider: t('sign-in:sso') })}
      </Button>
    </Form>
  );
}
