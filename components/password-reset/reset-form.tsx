import { useRouter } from 'next/router';
import { NewPasswordFields, showPasswordRefusal } from '@/components/account-forms/new-password-fields';
import { OneTimeCodeField } from '@/components/account-forms/one-time-code-field';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { useFirstFocus } from '@/components/account-forms/use-first-focus';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { confirmReset, toFailure, type CallFailure } from '@/lib/browser/account/api';
import type { CodeAndPasswordValues } from '@/lib/browser/account/reset-schema';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { showChanged, type PendingReset } from './resend-reset';

export function ResetForm({ pending: { flow, email } }: { pending: PendingReset }) {
  const { t } = useMessages('reset-password');
  const router = useRouter();
  const form = useFlowForm<CodeAndPasswordValues, CallFailure>({
    schema: async () => (await import('@/lib/browser/account/reset-schema')).codeAndPasswordSchema,
    submit: async ({ code, password }, fields) => {
      const failure = toFailure(await confirmReset(flow, code, password));
      if (failure?.code === 'code-used') await showChanged(flow);
      if (failure) return showPasswordRefusal(fields, failure);
      await router.push(paths.forgetPasswordConfirmation);
      return null;
    },
  });
  const { fields, phase } = form;
  useFirstFocus('code');
  return (
    <Form label={t('form')} flow={form}>
      {phase.name === 'failed' && <ProblemNotice failure={phase.failure} onExpire={form.reset} />}
      <OneTimeCodeField form={fields} name="code" />
      <NewPasswordFields form={fields} email={email} />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('resetting')}>
        {t('reset')}
      </Button>
    </Form>
  );
}
