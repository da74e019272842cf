import { useTranslation } from 'next-i18next/pages';
import { NewPasswordFields } from '@/components/layout/new-password-fields';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { showPasswordRefusal } from '@/components/layout/show-password-refusal';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { PageLink } from '@/components/ui/page-link';
import type { NewPasswordValues } from '@/lib/account/password-schemas';
import { setFirstPassword, type ChangeFailure } from '@/lib/auth/change-password';
import { goToCallback } from '@/lib/callback/browser';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';

export function FirstPasswordForm({ email }: { email: string }) {
  const { t } = useTranslation('reset-password-init');
  const env = usePublicEnv();
  const form = useFlowForm<NewPasswordValues, ChangeFailure>({
    schema: async () => (await import('@/lib/account/password-schemas')).newPasswordSchema,
    submit: async ({ password }, fields) => {
      const failure = await setFirstPassword(env, password);
      if (failure) return showPasswordRefusal(fields, failure);
      goToCallback(env);
      return null;
    },
  });
  const { fields, phase } = form;
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} onOver={form.reset}>
          {phase.failure.code === 'recent-login-required' && <PageLink href={paths.signIn}>{t('signIn')}</PageLink>}
        </ProblemNotice>
      )}
      <NewPasswordFields form={fields} email={email} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('setting')}>
        {t('set')}
      </Button>
    </Form>
  );
}
