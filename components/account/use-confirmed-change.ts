import { useRef, useState } from 'react';
import { reauthenticate, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import type { AccountSecurity } from '@/lib/shared/account/security';

/** The failure of a reauthentication whose popup the user has closed: the attempt stays open. */
export const POPUP_CLOSED = 'auth/popup-closed-by-user';

/** The user is asked to authenticate again, or does. */
type ConfirmPhase<Change> = { name: 'proving' | 'checking'; change: Change; failure?: ProofFailure };

/** `show` changes the phase, unless the attempt was replaced or canceled, and says whether it was not. */
export type Attempt<Phase> = { show: (next: Phase) => boolean; signal: AbortSignal };

/**
 * Confirm it's you, then change: a change of the account in several steps, of which one attempt at a time is shown. A page restored by the Back
 * button is idle.
 * @param idle the first of the phases besides those of the confirmation
 */
export function useConfirmedChange<Change, Rest>(account: AccountSecurity, idle: Rest) {
  type Phase = Rest | ConfirmPhase<Change>;
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>(idle);
  const latest = useRef<AbortController>(null);
  useFreshAfterBack(() => setPhase(idle));

  /** Aborts the attempt before, whose outcome is ignored. */
  const startAttempt = (): Attempt<Phase> => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    const show = (next: Phase) => {
      if (!signal.aborted) setPhase(next);
      return !signal.aborted;
    };
    return { show, signal };
  };

  /**
   * Authenticates the user again, then changes.
   * @param apply not called when the attempt was replaced or canceled meanwhile
   * @returns why the user is not authenticated, or what `apply` returns; for the form
   */
  const confirm = async (
    change: Change,
    proof: Proof,
    apply: (attempt: Attempt<Phase>) => Promise<ProofFailure | null>,
  ): Promise<ProofFailure | null> => {
    const attempt = startAttempt();
    const { show, signal } = attempt;
    show({ name: 'checking', change });
    const onClosed = () => show({ name: 'proving', change, failure: POPUP_CLOSED });
    const failure = await reauthenticate(env, account, proof, { signal, onClosed });
    if (failure !== null) show({ name: 'proving', change, failure });
    return failure !== null || signal.aborted ? failure : apply(attempt);
  };
  return { phase, setPhase, startAttempt, confirm, cancel: () => startAttempt().show(idle) };
}
