import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { TextField } from '@/components/ui/form/text-field';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import type { RecoveryCodeValues } from '@/lib/browser/second-factor/sign-in-schemas';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';
import { CodeFailureNotice } from './code-failure-notice';
import { useFactorFocus, type FactorFormProps } from './factor-form';
import { useFactorRefusal } from './use-factor-refusal';

/** A recovery code, in place of a lost authenticator app. */
export function RecoveryCodeForm({ submit, hasPasskeys, isFocused }: FactorFormProps) {
  const { t } = useMessages('second-factor');
  const form = useFlowForm<RecoveryCodeValues, CodeFailure>({
    schema: async () => (await import('@/lib/browser/second-factor/sign-in-schemas')).recoveryCodeSchema,
    submit: ({ recoveryCode }) => submit({ recoveryCode }),
  });
  const { fields, phase } = form;
  const refusal = useFactorRefusal('recovery', form);
  useFactorFocus('recoveryCode', isFocused);
  return (
    <Form label={t('recovery.form')} flow={form}>
      {phase.name === 'failed' && (
        <CodeFailureNotice failure={phase.failure} hasPasskeys={hasPasskeys} onExpire={form.reset} />
      )}
      <TextField
        form={fields}
        name="recoveryCode"
        label={t('recovery.label')}
        hint={t('recovery.hint')}
        refusal={refusal}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
      />
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('checking')}>
        {t('continue')}
      </Button>
    </Form>
  );
}
