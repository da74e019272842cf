import type { Path } from 'react-hook-form';
import { CodeField } from '@/components/ui/form/code-field';
import type { FlowForm } from '@/components/ui/form/use-flow-form';
import { CODE_LENGTH, normalizeCode } from '@/lib/shared/account/one-time-code';
import { useMessages } from '@/lib/browser/use-messages';
import type { FlowFailure } from './problem-notice';
import { useCodeRefusal } from './use-code-refusal';

type Props<Values extends { code: string }> = {
  flow: FlowForm<Values, FlowFailure>;
  onComplete?: () => void;
};

/** The field `code` of a form, for a one-time code from a confirmation or password reset email. */
export function OneTimeCodeField<Values extends { code: string }>({ flow, onComplete }: Props<Values>) {
  const { t } = useMessages('one-time-code');
  return (
    <CodeField
      form={flow.fields}
      name={'code' as Path<Values>}
      label={t('label')}
      hint={t('hint')}
      refusal={useCodeRefusal(flow)}
      length={CODE_LENGTH}
      normalize={normalizeCode}
      onComplete={onComplete}
    />
  );
}
