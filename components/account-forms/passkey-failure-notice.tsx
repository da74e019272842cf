import { Notice } from '@/components/ui/notice';
import type { PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { useMessages } from '@/lib/browser/use-messages';

/** Dialogs that ended without a passkey, which may be what the user wants: no error. */
const CALM: readonly PasskeyFailure[] = ['cancelled', 'none-here', 'passkey-exists'];

/** Why a passkey was not used or created, and what to do next. An alert in either tone: not every screen reader reads a late status. */
export function PasskeyFailureNotice({ failure }: { failure: PasskeyFailure }) {
  const { t } = useMessages('passkeys');
  return (
    <Notice tone={CALM.includes(failure) ? 'info' : 'error'} role="alert">
      {t(`failures.${failure}`)}
    </Notice>
  );
}
