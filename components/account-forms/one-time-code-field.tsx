import type { Path } from 'react-hook-form';
import { CodeField } from '@/components/ui/form/code-field';
import type { FlowForm, FormPhase } from '@/components/ui/form/form';
import { CODE_LENGTH, normalizeCode } from '@/lib/shared/account/typed-codes';
import { displayTime } from '@/lib/browser/dates';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { FieldRefusal } from '@/components/ui/form/fields';
import type { FlowFailure } from './problem-notice';
import { useRefusedCode } from './code-entry';

type Props<Values extends { code: string }> = {
  flow: FlowForm<Values, FlowFailure>;
  onComplete?: () => void;
  /** Until when the code works (`useCodeEnd`). */
  until?: number | null | undefined;
};

/** The field `code` of a form, for a one-time code from a confirmation or password reset email. */
export function OneTimeCodeField<Values extends { code: string }>({ flow, onComplete, until }: Props<Values>) {
  const { t } = useMessages('one-time-code');
  const language = useLanguage();
  const time = until ? displayTime(new Date(until), language) : '00:00';
  return (
    <CodeField
      form={flow.fields}
      name={'code' as Path<Values>}
      label={t('label')}
      hint={
        <>
          <span>{`${t('hint')} `}</span>
          {/* Its space is reserved, because nothing may move under a click. */}
          {until !== undefined && <span data-waits={until === null || undefined}>{t('until', { time })}</span>}
        </>
      }
      refusal={useCodeRefusal(flow)}
      length={CODE_LENGTH}
      normalize={normalizeCode}
      onComplete={onComplete}
    />
  );
}

/** Returns the field's message for a refused one-time code, or null for any other failure. */
function useCodeRefusal({ phase, reset }: { phase: FormPhase<FlowFailure>; reset: () => void }): FieldRefusal | null {
  const { t } = useMessages('problems');
  const getText = () => {
    if (phase.name !== 'failed' || phase.failure.code !== 'code-wrong') return null;
    const { triesLeft } = phase.failure;
    const wrong = t('code-wrong');
    if (typeof triesLeft !== 'number') return wrong;
    return `${wrong} ${triesLeft > 0 ? t('triesLeft', { count: triesLeft }) : t('code-locked')}`;
  };
  return useRefusedCode(getText(), reset);
}
