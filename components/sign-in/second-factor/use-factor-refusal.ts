import type { FieldRefusal } from '@/components/ui/form/field-frame';
import type { FormPhase } from '@/components/ui/form/use-flow-form';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';

/** What the field says of a code that the server refused; null for a failure of anything else. */
export function useFactorRefusal(
  kind: 'app' | 'recovery',
  { phase, reset }: { phase: FormPhase<CodeFailure>; reset: () => void },
): FieldRefusal | null {
  const { t } = useMessages('second-factor');
  if (phase.name !== 'failed') return null;
  const { code, triesLeft } = phase.failure;
  const isApp = kind === 'app';
  if (code === 'code-used') return { text: isApp ? t('failures.used') : t('failures.recoveryUsed'), clear: reset };
  if (code !== 'code-wrong') return null;
  const left = triesLeft !== null && t('failures.triesLeft', { count: triesLeft });
  const text = [t('failures.wrong'), left, isApp && t('failures.clock')].filter(Boolean).join(' ');
  return { text, clear: reset };
}
