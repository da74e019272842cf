import { CodeField } from '@/components/ui/form/code-field';
import type { FieldProps } from '@/components/ui/form/field-frame';
import { TextField } from '@/components/ui/form/text-field';
import { APP_CODE_LENGTH, normalizeAppCode } from '@/lib/browser/second-factor/codes';
import { useMessages } from '@/lib/browser/use-messages';

export type CodeValues = { code: string };
type Props = { form: FieldProps<CodeValues>['form'] };

/** The field for six digits of an authenticator app. Not submitted by itself: incorrect codes are counted. */
export function AppCodeField({ form }: Props) {
  const { t } = useMessages('two-step-verification');
  return (
    <CodeField
      form={form}
      name="code"
      label={t('code.label')}
      hint={t('code.hint')}
      inputMode="numeric"
      length={APP_CODE_LENGTH}
      normalize={normalizeAppCode}
    />
  );
}

export function RecoveryCodeField({ form, hint }: Props & { hint: string }) {
  const { t } = useMessages('two-step-verification');
  return (
    <TextField
      form={form}
      name="code"
      label={t('recoveryCode.label')}
      hint={hint}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
    />
  );
}
