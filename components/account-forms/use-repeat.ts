import { useEffect, useState } from 'react';
import type { FlowForm } from '@/components/ui/form/form';
import type { SignInValues } from '@/lib/browser/account/sign-in-rules';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/error-codes';

/** Seconds until the page signs in again. The waits grow, because many learners wait for the same service. */
const WAITS = [5, 15, 45] as const;

/**
 * Repeats a password sign-in with the same input if the server could not open a session. It repeats a few times, but
 * not after the learner types or switches to another tab or app, because another person may be at the page later.
 *
 * Only a password can be sent again. A link, a code and a passkey work once and may have been used, and a provider's
 * window needs a click.
 * @returns seconds until the next attempt, or null if the page does not repeat
 */
export function useRepeat({ fields, phase, onSubmit }: FlowForm<SignInValues, SignInFailure>): number | null {
  const [count, setCount] = useState(0);
  const [stoppedAfter, setStoppedAfter] = useState<SignInFailure | null>(null);
  const failure = phase.name === 'failed' && phase.failure.code === 'auth/session-unavailable' ? phase.failure : null;
  const wait = failure === null || failure === stoppedAfter ? null : (WAITS[count] ?? null);
  useEffect(() => {
    if (wait === null) return;
    const stop = () => setStoppedAfter(failure);
    if (document.hidden) return stop();
    const timer = setTimeout(() => {
      setCount((before) => before + 1);
      onSubmit();
    }, wait * 1_000);
    const typing = fields.watch(stop);
    document.addEventListener('visibilitychange', stop);
    return () => {
      clearTimeout(timer);
      typing.unsubscribe();
      document.removeEventListener('visibilitychange', stop);
    };
    // One wait per failure, which a render must not restart.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [failure, wait]);
  return wait;
}
