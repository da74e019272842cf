import { useRouter } from 'next/router';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { reauthenticate, WRONG_PASSWORD, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { isFactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { FactorFailureNotice, isCodeRefused } from './factor-code-fields';
import styles from './security.module.css';
import { SignInAgain } from './sign-in-again';

/** The failure of a reauthentication whose popup the user has closed: the attempt stays open. */
export const POPUP_CLOSED = 'auth/popup-closed-by-user';

/**
 * Loads the data of this page again, and leaves the learner where they are. Not by `asPath`, which has parameters that were removed from the
 * address.
 */
export function useReload(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    const { pathname, search } = window.location;
    const load = () => router.replace(pathname + search, undefined, { scroll: false });
    // To leave a fragment is a way within the page, and loads nothing.
    if (router.asPath.includes('#')) await load();
    await load();
  };
}

/** The user is asked to authenticate again, or does. */
type ConfirmPhase<Change> = { name: 'proving' | 'checking'; change: Change; failure?: ProofFailure };

/** `show` changes the phase, unless the attempt was replaced or canceled, and says whether it was not. */
type Attempt<Phase> = { show: (next: Phase) => boolean; signal: AbortSignal };

/**
 * Confirm it's you, then change: a change of the account in several steps, of which one attempt at a time is shown. A page restored by the Back
 * button is idle, and shows no outcome of what was begun before.
 * @param idle the first of the phases besides those of the confirmation
 */
export function useConfirmedChange<Change, Rest>(account: AccountSecurity, idle: Rest) {
  type Phase = Rest | ConfirmPhase<Change>;
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>(idle);
  const latest = useRef<AbortController>(null);

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

  const cancel = () => startAttempt().show(idle);
  useFreshAfterBack(cancel);

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
  return { phase, setPhase, startAttempt, confirm, cancel };
}

type Props = {
  /** Focus moves to the panel at each of them. `ask`: its text is a question. */
  stage: string;
  text: string;
  /** What the change brings. */
  facts?: readonly string[] | undefined;
  failure?: ReactNode;
  onCancel: () => void;
  children?: ReactNode;
};

/** One step of a change on /security, with a button that cancels the change. */
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
      {/* Next to the button that was pressed. */}
      {failure}
      {children}
      <Button kind="quiet" onClick={onCancel}>
        {t('proof.cancel')}
      </Button>
    </div>
  );
}

/**
 * A part of a panel takes the focus with it when it is exchanged: the panel takes it, unless what comes instead does.
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
 * A panel takes the focus with it when it closes: goes on in what takes its place.
 * @param selector of what gets the focus, within the element that has the returned ref; that element by default
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
 * The same for a change whose place is known by its phase: goes on at the button that began it, or at the section's heading after one that
 * is done.
 * @param getButton selector of the button for the phase that is over; null: at the heading
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
    // After the focus has gone to the heading of the page, whose place a step had taken.
    if (back) queueMicrotask(() => back.focus());
    else document.getElementById(headingId)?.focus();
    // Runs once for each phase: `getButton` is new at every rendering.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [phase]);
}

const SETTLED = ['idle', 'done', 'failed'];

/** `keepChange`: runs before a new sign-in, so that the change goes on after it. */
type MethodFailureProps = { failure: ProofFailure; email: string | null; keepChange?: (() => void) | undefined };

/** Why a change of the sign-in methods failed, with the next step if there is one. */
export function MethodFailure({ failure, email, keepChange }: MethodFailureProps) {
  const { t } = useMessages('security');
  // The form asks for the code, or says it at its field.
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

/** Why no passkey was created. */
export function CreationFailure({ email, failure }: Pick<MethodFailureProps, 'email' | 'failure'>) {
  const { t } = useMessages('security');
  if (failure === 'cancelled') return <LateNotice tone="info">{t('passkeys.notAdded')}</LateNotice>;
  return <MethodFailure failure={failure} email={email} />;
}
