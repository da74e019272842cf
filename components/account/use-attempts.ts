import { useRef, useState } from 'react';
import { useFreshAfterBack } from '@/lib/browser/use-fresh-after-back';

/** The failure of a reauthentication whose popup the user has closed: the attempt stays open. */
export const POPUP_CLOSED = 'auth/popup-closed-by-user';

/**
 * The phase of a change that takes several steps, of which one attempt at a time is shown. A page restored by the Back
 * button is idle.
 */
export function useAttempts<Phase>(idle: Phase) {
  const [phase, setPhase] = useState<Phase>(idle);
  const latest = useRef<AbortController>(null);
  useFreshAfterBack(() => setPhase(idle));

  /**
   * Aborts the attempt before, whose outcome is ignored.
   * @returns `show` changes the phase, unless the attempt was replaced or canceled, and says whether it was not
   */
  const startAttempt = () => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    const show = (next: Phase) => {
      if (!signal.aborted) setPhase(next);
      return !signal.aborted;
    };
    return { show, signal };
  };
  return { phase, setPhase, startAttempt };
}
