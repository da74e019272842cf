import { useState } from 'react';
import { AutoSubmitGuard } from '@/components/account-forms/auto-submit-guard';
import { Button } from '@/components/ui/button';
import { CodeField } from '@/components/ui/form/code-field';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import { APP_CODE_LENGTH, normalizeAppCode } from '@/lib/browser/second-factor/codes';
import type { AppCodeValues } from '@/lib/browser/second-factor/sign-in-schemas';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';
import { CodeFailureNotice } from './code-failure-notice';
import { useFactorFocus, type FactorFormProps } from './factor-form';
import { useFactorRefusal } from './use-factor-refusal';

/** Six digits of an authenticator app. */
export function AppCodeForm({ submit, hasPasskeys, isFocused }: FactorFormProps) {
  const { t } = useMessages('second-factor');
  const [sending] = useState(() => new AutoSubmitGuard());
  const form = useFlowForm<AppCodeValues, CodeFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/sign-in-schemas')).appCodeSchema,
    submit: ({ code }) => submit({ code }).finally(() => sending.answered()),
  });
  const { fields, phase } = form;
  const refusal = useFactorRefusal('app', form);
  useFactorFocus('code', isFocused);
  return (
    <Form label={t('code.form')} flow={{ phase, onSubmit: (event) => sending.press(form.onSubmit, event) }}>
      {phase.name === 'failed' && (
        <CodeFailureNotice failure={phase.failure} hasPasskeys={hasPasskeys} onExpire={form.reset} />
      )}
      <CodeField
        form={fields}
        name="code"
        label={t('code.label')}
        refusal={refusal}
        length={APP_CODE_LENGTH}
        inputMode="numeric"
        normalize={normalizeAppCode}
        onComplete={() => sending.complete(form.onSubmit)}
      />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('checking')}>
        {t('continue')}
      </Button>
    </Form>
  );
}
