import { Notice } from '@/components/ui/notice';
import type { PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { useMessages } from '@/lib/browser/use-messages';

/** Dialogs that ended without a passkey, which the user may have wanted, so they are no error. */
const CALM: readonly PasskeyFailure[] = ['cancelled', 'none-here', 'passkey-exists'];

/**
 * Explains why a passkey was not used or created, and the next step. It is an alert in either tone, because some screen
 * readers ignore a late status.
 */
export function PasskeyFailureNotice({ failure }: { failure: PasskeyFailure }) {
  const { t } = useMessages('passkeys');
  return (
    <Notice tone={CALM.includes(failure) ? 'info' : 'error'} role="alert">
      {t(`failures.${failure}`)}
    </Notice>
  );
}
