import { useState } from 'react';
import { AutoSubmitGuard } from '@/components/account-forms/auto-submit-guard';
import { OneTimeCodeField } from '@/components/account-forms/one-time-code-field';
import { restartCode } from '@/components/account-forms/refused-code';
import { ResendButton } from '@/components/account-forms/resend-button';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm } from '@/components/ui/form/use-flow-form';
import type { CallFailure } from '@/lib/browser/account/api';
import { requestReset, requestResetCode } from '@/lib/browser/second-factor/reset';
import { useMessages } from '@/lib/browser/use-messages';
import type { CodeValues } from '@/lib/shared/account/code-schemas';
import { ResetFailureNotice } from './reset-failure-notice';
import { SwitchButton } from './switch-button';

type Props = {
  /** Seconds until another code can be emailed. */
  wait: number;
  check: (failure: CallFailure) => CallFailure | null;
  onScheduled: (effectiveAt: string) => void;
  onBack: () => void;
};

/** The code from the mailbox. */
export function ResetCode({ wait, check, onScheduled, onBack }: Props) {
  const { t } = useMessages('second-factor');
  const [sending] = useState(() => new AutoSubmitGuard());
  const form = useFlowForm<CodeValues, CallFailure>({
    schema: async () => (await import('@/lib/shared/account/code-schemas')).codeSchema,
    submit: async ({ code }) => {
      const result = await requestReset(code).finally(() => sending.answered());
      if (!result.ok) return check(result);
      onScheduled(result.data.effectiveAt);
      return null;
    },
  });
  const { phase } = form;
  const resend = async () => {
    const result = await requestResetCode();
    if (!result.ok) check(result);
    return result;
  };
  return (
    <AuthLayout heading={t('reset.codeHeading')} lead={t('reset.codeLead')}>
      <Form label={t('reset.codeHeading')} flow={{ phase, onSubmit: (event) => sending.press(form.onSubmit, event) }}>
        {phase.name === 'failed' && <ResetFailureNotice failure={phase.failure} onExpire={form.reset} />}
        <OneTimeCodeField flow={form} onComplete={() => sending.complete(form.onSubmit)} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('checking')}>
          {t('reset.confirm')}
        </Button>
      </Form>
      <div className={styles.links}>
        <ResendButton wait={wait} onResend={resend} onSent={() => restartCode(form)} onUsed={form.reset} />
        <SwitchButton onClick={onBack}>{t('code.instead')}</SwitchButton>
      </div>
    </AuthLayout>
  );
}
