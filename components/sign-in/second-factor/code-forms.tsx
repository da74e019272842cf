import { useState, useEffect } from 'react';
import { AutoSubmitGuard } from '@/components/account-forms/auto-submit-guard';
import { Button } from '@/components/ui/button';
import { CodeField } from '@/components/ui/form/code-field';
import { Form } from '@/components/ui/form/form';
import { isBusy, useFlowForm, type FormPhase } from '@/components/ui/form/use-flow-form';
import { APP_CODE_LENGTH, normalizeAppCode } from '@/lib/browser/second-factor/codes';
import type { AppCodeValues, RecoveryCodeValues } from '@/lib/browser/second-factor/sign-in-schemas';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';
import { TextField } from '@/components/ui/form/text-field';
import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';
import { Notice } from '@/components/ui/notice';
import { useFirstFocus } from '@/components/account-forms/use-first-focus';
import type { FactorCode } from '@/lib/shared/account/second-factor';
import { useRefusedCode } from '@/components/account-forms/refused-code';
import type { FieldRefusal } from '@/components/ui/form/field-frame';

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

type Props = {
  failure: CodeFailure;
  hasPasskeys: boolean;
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire: () => void;
};

/** Why a code did not sign in, and what to do next. What was entered stays. */
function CodeFailureNotice({ failure, hasPasskeys, onExpire }: Props) {
  const { t } = useMessages('second-factor');
  switch (failure.code) {
    // Shown at the field.
    case 'code-wrong':
    case 'code-used':
      return null;
    case 'too-many-requests':
      return (
        <Notice tone="error">
          <p>{t('failures.tooMany')}</p>
          <RetryAfterNotice failure={failure} onExpire={onExpire} />
          <p>{hasPasskeys ? t('failures.passkey') : t('failures.recovery')}</p>
        </Notice>
      );
    case 'network':
      return <Notice tone="error">{t('common:errors.auth/network-request-failed')}</Notice>;
    case 'records-unavailable':
    case 'provider-unavailable':
    case 'shutting-down':
      return <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>;
    default:
      return <Notice tone="error">{t('common:errors.unknown')}</Notice>;
  }
}

/** The props of both forms. */
type FactorFormProps = {
  /** @returns null when the sign-in is completed or over */
  submit: (factor: FactorCode) => Promise<CodeFailure | null>;
  /** Whether a passkey can be used instead. */
  hasPasskeys: boolean;
  /** The user chose this form: its field gets the focus, on phones as well. */
  isFocused: boolean;
};

function useFactorFocus(name: string, isFocused: boolean): void {
  useFirstFocus(name);
  useEffect(() => {
    if (isFocused) document.getElementsByName(name)[0]?.focus();
  }, [name, isFocused]);
}

/** What the field says of a code that the server refused; null for a failure of anything else. */
function useFactorRefusal(
  kind: 'app' | 'recovery',
  { phase, reset }: { phase: FormPhase<CodeFailure>; reset: () => void },
): FieldRefusal | null {
  const { t } = useMessages('second-factor');
  const getText = () => {
    if (phase.name !== 'failed') return null;
    const { code, triesLeft } = phase.failure;
    const isApp = kind === 'app';
    if (code === 'code-used') return isApp ? t('failures.used') : t('failures.recoveryUsed');
    if (code !== 'code-wrong') return null;
    const left = triesLeft !== null && t('failures.triesLeft', { count: triesLeft });
    return [t('failures.wrong'), left, isApp && t('failures.clock')].filter(Boolean).join(' ');
  };
  return useRefusedCode(getText(), reset, kind === 'app' ? 'code' : 'recoveryCode');
}
