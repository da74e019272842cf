import { useEffect, useReducer, useRef } from 'react';
import {
  hasRecentProof,
  reauthenticate,
  type AccountProof,
  type ProofFailure,
} from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { asksFirst, type AccountSecurity } from '@/lib/shared/account/security';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { changeReducer, getFocusAfter, type ChangeEvent, type ChangePhase, type NextStep } from './change';

/** The user has closed the popup of a reauthentication. The attempt stays open. */
export const POPUP_CLOSED = 'auth/popup-closed-by-user';

/** `show` has no effect after the attempt was replaced or canceled, which aborts the signal. */
type Attempt<Step> = { signal: AbortSignal; show: (to: Step) => void };

/** What a step of a change needs from `useChange`. */
export type ChangeHook<Change = unknown, Failure = unknown> = {
  phase: ChangePhase<Change, Failure>;
  press: () => void;
  prove: (account: AccountSecurity, proof: AccountProof) => Promise<ProofFailure | null>;
  cancel: () => void;
};

/**
 * Manages a change of the account, which can have several steps (`./change.ts`). It has one attempt at a time, and
 * ignores the outcome of a replaced or canceled attempt. Back cancels, so the page shows no earlier outcome.
 * @param carryOut runs after the learner has pressed the button of the phase `at`, or has authenticated at `proving`.
 *   Returns the next step, or null if the page is being left or the attempt was canceled.
 * @param start the first phase
 */
export function useChange<Change, Failure = ProofFailure, Step = unknown, Result = unknown>(
  carryOut: (
    change: Change,
    at: ChangePhase<Change>['name'],
    attempt: Attempt<NextStep<Failure, Step, Result>>,
  ) => Promise<NextStep<Failure, Step, Result> | null>,
  start: ChangePhase<Change, Failure, Step, Result> = { name: 'idle' },
) {
  type Event = ChangeEvent<Change, Failure, Step, Result>;
  const env = usePublicEnv();
  const [phase, dispatch] = useReducer(changeReducer<Change, Failure, Step, Result>, start);
  const latest = useRef<AbortController>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const before = useRef(phase);
  useEffect(() => {
    const focus = getFocusAfter(before.current, phase);
    before.current = phase;
    const { current: back } = button;
    // Wait until the focus has moved to the page's heading, which a step had replaced.
    if (focus === 'button' && back) queueMicrotask(() => back.focus());
    else if (focus) (heading.current ?? back)?.focus();
  }, [phase]);

  const startAttempt = (event: Event): Attempt<NextStep<Failure, Step, Result>> => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    dispatch(event);
    return { signal, show: (to) => signal.aborted || dispatch({ type: 'advance', to }) };
  };

  const run = async (event: Event, change: Change, at: ChangePhase<Change>['name']) => {
    const attempt = startAttempt(event);
    const to = await carryOut(change, at, attempt);
    if (to) attempt.show(to);
  };
  const begin = (change: Change) => void run({ type: 'begin', change }, change, 'opening');

  const cancel = () => {
    latest.current?.abort();
    dispatch({ type: 'cancel' });
  };
  useFreshAfterBack(cancel);

  return {
    phase,
    dispatch,
    startAttempt,
    begin,
    cancel,
    press: () => {
      if (phase.name === 'asking' || phase.name === 'proved') void run({ type: 'press' }, phase.change, phase.name);
    },
    /** Authenticates the user again, then carries the change out. @returns why the proof is not sufficient, for its form */
    prove: async (account: AccountSecurity, proof: AccountProof): Promise<ProofFailure | null> => {
      if (phase.name !== 'proving') return null;
      const attempt = startAttempt({ type: 'press' });
      const { signal, show } = attempt;
      const onClosed = () => show({ name: 'proving', failure: POPUP_CLOSED });
      const failure = await reauthenticate(env, account, proof, { signal, onClosed });
      if (signal.aborted) return failure;
      // The popup may have been reported as closed.
      dispatch({ type: 'press' });
      const to =
        failure === null ? await carryOut(phase.change, 'proving', attempt) : ({ name: 'proving', failure } as const);
      if (to) show(to);
      return to?.name === 'proving' ? (to.failure ?? null) : null;
    },
    /** Gets the focus after a completed change. */
    heading,
    /** Returns the props of the button that begins a change. It gets the focus again, unless the change is completed. */
    getButton: (change: Change) => {
      const isOwn = JSON.stringify(phase.change) === JSON.stringify(change);
      return { ref: isOwn ? button : undefined, busy: isOwn && phase.name === 'opening', onClick: () => begin(change) };
    },
  };
}

/**
 * Returns the step before a change that the identity provider makes, or null if it can be made now. After a recent sign-in
 * by email, nothing is asked except whether to remove something.
 * @param at the phase whose button was pressed
 */
export async function getStepBefore(
  env: PublicEnv,
  account: AccountSecurity,
  at: ChangePhase<unknown>['name'],
  isRemoval: boolean,
): Promise<{ name: 'asking' | 'proving' } | null> {
  if (at !== 'opening' && at !== 'asking') return null;
  const isAsked = isRemoval && at === 'opening';
  if (isAsked && asksFirst(account)) return { name: 'asking' };
  if (!(await hasRecentProof(env, account))) return { name: 'proving' };
  return isAsked ? { name: 'asking' } : null;
}
