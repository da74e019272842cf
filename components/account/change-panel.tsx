import { useRouter } from 'next/router';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import {
  reauthenticate,
  WRONG_PASSWORD,
  type AccountProof,
  type ProofFailure,
} from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { isFactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { FactorFailureNotice, isCodeRefused } from './factor-code-fields';
import styles from './security.module.css';
import { SignInAgain } from './sign-in-again';

/** The user has closed the popup of a reauthentication. The attempt stays open. */
export const POPUP_CLOSED = 'auth/popup-closed-by-user';

/**
 * Reloads the data of this page without moving the learner. It does not use `asPath`, because that has parameters that were
 * removed from the address.
 */
export function useReload(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    const { pathname, search } = window.location;
    const load = () => router.replace(pathname + search, undefined, { scroll: false });
    // Leaving a fragment is a navigation within the page and would load nothing.
    if (router.asPath.includes('#')) await load();
    await load();
  };
}

/** Phases in which the user authenticates again. */
type ConfirmPhase<Change> = { name: 'proving' | 'checking'; change: Change; failure?: ProofFailure };

/** `show` changes the phase and returns true, unless the attempt was replaced or canceled. */
type Attempt<Phase> = { show: (next: Phase) => boolean; signal: AbortSignal };

/**
 * Manages a change of the account in several steps: confirm it's you, then change. It shows one attempt at a time. A page
 * that Back restores is idle and shows no earlier outcome.
 * @param idle the first phase that is not part of the confirmation
 */
export function useConfirmedChange<Change, Rest>(account: AccountSecurity, idle: Rest) {
  type Phase = Rest | ConfirmPhase<Change>;
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>(idle);
  const latest = useRef<AbortController>(null);

  /** Aborts the previous attempt and ignores its outcome. */
  const startAttempt = (): Attempt<Phase> => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    const show = (next: Phase) => {
      if (!signal.aborted) setPhase(next);
      return !signal.aborted;
    };
    return { show, signal };
  };

  const cancel = () => startAttempt().show(idle);
  useFreshAfterBack(cancel);

  /**
   * Authenticates the user again, then changes.
   * @param apply not called if the attempt was replaced or canceled
   * @returns why the user is not authenticated, or the result of `apply`, for the form
   */
  const confirm = async (
    change: Change,
    proof: AccountProof,
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
  return { phase, setPhase, startAttempt, confirm, cancel };
}

type Props = {
  /** Focus moves to the panel at each step. `ask`: the text is a question. */
  stage: string;
  text: string;
  /** The effect of the change. */
  facts?: readonly string[] | undefined;
  failure?: ReactNode;
  onCancel: () => void;
  children?: ReactNode;
};

/** A step of a change on /security, with a button that cancels the change. */
export function ChangePanel({ stage, text, facts, failure, onCancel, children }: Props) {
  const { t } = useMessages('security');
  const panel = useRef<HTMLDivElement>(null);
  const textId = useId();
  useEffect(() => panel.current?.focus(), [stage]);
  return (
    <div className={styles.panel} ref={panel} tabIndex={-1} role="group" aria-labelledby={textId}>
      <p id={textId} className={stage === 'ask' ? styles.question : undefined}>
        {text}
      </p>
      {facts && (
        <ul className={flow.facts}>
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      {/* Show the failure next to the button that was pressed. */}
      {failure}
      {children}
      <Button kind="quiet" onClick={onCancel}>
        {t('proof.cancel')}
      </Button>
    </div>
  );
}

/**
 * Moves the focus to the panel when a focused part of it is replaced, unless the new part takes the focus itself.
 * @param shown changes with the part that has the returned ref
 */
export function usePanelFocus(shown: unknown) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = box.current?.closest<HTMLElement>('[role="group"]');
    return () => {
      if (document.activeElement === document.body) panel?.focus();
    };
  }, [shown]);
  return box;
}

/**
 * Moves the focus when a panel closes, because the focused element is removed with it.
 * @param selector selects the new focus within the element with the returned ref; by default that element
 */
export function useFocusAfterPanel<Box extends HTMLElement>(isOpen: boolean, selector?: string) {
  const box = useRef<Box>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    const next = selector === undefined ? box.current : box.current?.querySelector<HTMLElement>(selector);
    if (wasOpen.current && !isOpen) next?.focus();
    wasOpen.current = isOpen;
  }, [isOpen, selector]);
  return box;
}

/**
 * Moves the focus when a change closes: to the button that began it, or to the section's heading after a completed change.
 * @param getButton selector of the button for the phase that is over; null for the heading
 */
export function useReturnOfFocus<Phase extends { name: string }>(
  phase: Phase,
  headingId: string,
  getButton: (over: Phase) => string | null,
): void {
  const before = useRef(phase);
  useEffect(() => {
    const { current: over } = before;
    before.current = phase;
    if (SETTLED.includes(over.name) || !SETTLED.includes(phase.name)) return;
    const button = phase.name === 'done' ? null : getButton(over);
    const back = button === null ? null : document.querySelector<HTMLElement>(button);
    // Wait until the focus has moved to the page's heading, which a step had replaced.
    if (back) queueMicrotask(() => back.focus());
    else document.getElementById(headingId)?.focus();
    // Run once for each phase, because `getButton` is new at every rendering.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [phase]);
}

const SETTLED = ['idle', 'done', 'failed'];

/** `keepChange` runs before a new sign-in, so that the change continues after it. */
type MethodFailureProps = { failure: ProofFailure; email: string | null; keepChange?: (() => void) | undefined };

/** Explains why a change of the sign-in methods failed, with the next step if there is one. */
export function MethodFailure({ failure, email, keepChange }: MethodFailureProps) {
  const { t } = useMessages('security');
  // The form asks for the code or shows the failure at its field.
  if (failure === 'code-required' || failure === WRONG_PASSWORD || isCodeRefused(failure)) return null;
  if (isFactorFailure(failure)) return <FactorFailureNotice failure={failure} isProof />;
  if (failure === 'last-method') return <Notice tone="error">{t('methods.lastStays')}</Notice>;
  if (!isAuthErrorCode(failure)) return <PasskeyFailureNotice failure={failure} />;
  return (
    <Notice tone="error">
      <p>{t(errorTextKey(failure))}</p>
      {failure === 'auth/requires-recent-login' && <SignInAgain email={email} onLeave={keepChange} />}
    </Notice>
  );
}

/** Explains why no passkey was created. */
export function CreationFailure({ email, failure }: Pick<MethodFailureProps, 'email' | 'failure'>) {
  const { t } = useMessages('security');
  if (failure === 'cancelled') return <LateNotice tone="info">{t('passkeys.notAdded')}</LateNotice>;
  return <MethodFailure failure={failure} email={email} />;
}
