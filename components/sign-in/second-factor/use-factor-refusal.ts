import { useRefusedCode } from '@/components/account-forms/refused-code';
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
