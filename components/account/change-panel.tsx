import { useRouter } from 'next/router';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { WRONG_PASSWORD, type ProofFailure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { isFactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import { FactorFailureNotice, isCodeRefused } from './factor-code-fields';
import styles from './security.module.css';
import { SignInAgain } from './sign-in-again';

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
