import { useRouter } from 'next/router';
import { useTranslation } from 'next-i18next/pages';
import { NewPasswordFields } from '@/components/layout/new-password-fields';
import { OneTimeCodeField } from '@/components/layout/one-time-code-field';
import { ProblemNotice } from '@/components/layout/problem-notice';
import { showPasswordRefusal } from '@/components/layout/show-password-refusal';
import { useFirstFocus } from '@/components/layout/use-first-focus';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { confirmReset, failureOf, type CallFailure } from '@/lib/account/calls';
import type { CodeAndPasswordValues } from '@/lib/account/reset-schema';
import { paths } from '@/lib/paths';

export function ResetForm({ email }: { email: string }) {
  const { t } = useTranslation('reset-password');
  const router = useRouter();
  const form = useFlowForm<CodeAndPasswordValues, CallFailure>({
    schema: async () => (await import('@/lib/account/reset-schema')).codeAndPasswordSchema,
    submit: async ({ code, password }, fields) => {
      const failure = failureOf(await confirmReset(code, password));
      if (failure) return showPasswordRefusal(fields, failure);
      await router.push(paths.forgetPasswordConfirmation);
      return null;
    },
  });
  const { fields, phase } = form;
  useFirstFocus('code');
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onOver={form.reset} />}
      <OneTimeCodeField form={fields} name="code" />
      <NewPasswordFields form={fields} email={email} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('resetting')}>
        {t('reset')}
      </Button>
    </Form>
  );
}
