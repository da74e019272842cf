import { useRefusedCode } from '@/components/account-forms/code-entry';
import { CodeField } from '@/components/ui/form/code-field';
import { type FieldProps, TextField } from '@/components/ui/form/fields';
import type { FlowForm } from '@/components/ui/form/form';
import { APP_CODE_LENGTH, normalizeAppCode } from '@/lib/shared/account/typed-codes';
import { isFactorFailure, type FactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';
import { Notice } from '@/components/ui/notice';

export type CodeValues = { code: string };
type Props = Pick<FieldProps<CodeValues>, 'form' | 'refusal'>;

/** What the field of a code says of one that the server refused. */
export function useStepRefusal({ phase, reset }: Pick<FlowForm<CodeValues, unknown>, 'phase' | 'reset'>) {
  const { t } = useMessages('two-step-verification');
  const getText = () => {
    if (phase.name !== 'failed' || !isCodeRefused(phase.failure)) return null;
    const { factor, triesLeft } = phase.failure;
    const left = factor === 'code-wrong' && Boolean(triesLeft) && t('triesLeft', { count: triesLeft ?? 0 });
    return [t(`failures.${factor}`), left].filter(Boolean).join(' ');
  };
  return useRefusedCode(getText(), reset);
}

/** Whether the failure is shown at the field of the code. */
export function isCodeRefused(failure: unknown): failure is FactorFailure {
  return isFactorFailure(failure) && (failure.factor === 'code-wrong' || failure.factor === 'code-used');
}

/** The field for six digits of an authenticator app. @param props `onComplete` submits them */
export function AppCodeField({ onComplete, ...field }: Props & { onComplete?: () => void }) {
  const { t } = useMessages('two-step-verification');
  return (
    <CodeField
      {...field}
      name="code"
      onComplete={onComplete}
      label={t('code.label')}
      hint={t('code.hint')}
      inputMode="numeric"
      length={APP_CODE_LENGTH}
      normalize={normalizeAppCode}
    />
  );
}

export function RecoveryCodeField(props: Props & { hint: string }) {
  const { t } = useMessages('two-step-verification');
  return (
    <TextField
      {...props}
      name="code"
      label={t('recoveryCode.label')}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
    />
  );
}

type NoticeProps = { failure: FactorFailure; onExpire?: () => void };

/** Why a change of the second factor was refused, and what to do next. What is wrong with a code is said at its field. */
export function FactorFailureNotice({ failure, onExpire = () => undefined }: NoticeProps) {
  const { t } = useMessages('two-step-verification');
  const { factor } = failure;
  return (
    <Notice tone="error">
      <p>{t(`failures.${factor}`)}</p>
      {factor === 'too-many-requests' && <RetryAfterNotice failure={failure} onExpire={onExpire} />}
    </Notice>
  );
}
