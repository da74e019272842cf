import type { FieldValues, Path } from 'react-hook-form';
import { CodeField } from '@/components/ui/form/code-field';
import type { FieldProps } from '@/components/ui/form/field-frame';
import { CODE_LENGTH, normalizeCode } from '@/lib/shared/account/one-time-code';
import { useMessages } from '@/lib/browser/use-messages';

type Props<Values extends FieldValues> = {
  form: FieldProps<Values>['form'];
  name: Path<Values>;
  onComplete?: () => void;
};

/** The field for a one-time code from a confirmation or password reset email. */
export function OneTimeCodeField<Values extends FieldValues>(props: Props<Values>) {
  const { t } = useMessages('one-time-code');
  const label = { label: t('label'), hint: t('hint') };
  return <CodeField {...props} {...label} length={CODE_LENGTH} normalize={normalizeCode} />;
}
