import { useTranslation } from 'next-i18next/pages';
import type { FieldValues, Path } from 'react-hook-form';
import { CodeField } from '@/components/ui/form/code-field';
import type { FieldProps } from '@/components/ui/form/field-frame';
import { CODE_LENGTH, normaliseCode } from '@/lib/account/one-time-code';

type Props<Values extends FieldValues> = {
  form: FieldProps<Values>['form'];
  name: Path<Values>;
  onComplete?: () => void;
};

/** The field for a code of ours, from a confirmation or reset mail. */
export function OneTimeCodeField<Values extends FieldValues>(props: Props<Values>) {
  const { t } = useTranslation('one-time-code');
  const label = { label: t('label'), hint: t('hint') };
  return <CodeField {...props} {...label} length={CODE_LENGTH} normalise={normaliseCode} />;
}
