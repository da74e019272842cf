import type { FieldRefusal } from '@/components/ui/form/field-frame';
import type { FormPhase } from '@/components/ui/form/use-flow-form';
import { useMessages } from '@/lib/browser/use-messages';
import type { FlowFailure } from './problem-notice';
import { useRefusedCode } from './refused-code';

/** What the field says of a one-time code that the server refused; null for a failure of anything else. */
export function useCodeRefusal({
  phase,
  reset,
}: {
  phase: FormPhase<FlowFailure>;
  reset: () => void;
}): FieldRefusal | null {
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
