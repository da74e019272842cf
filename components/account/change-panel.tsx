import { useEffect, useId, useRef, type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Notice } from '@/components/ui/notice';
import type { MethodFailure as Failure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { isFactorFailure } from '@/lib/browser/second-factor/api';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { FactorFailureNotice } from './factor-code-fields';
import { SignInAgain } from './sign-in-again';
import styles from './security.module.css';

type Props = {
  /** Focus moves to the panel at each of them. `ask`: its text is a question. */
  stage: string;
  text: string;
  failure?: ReactNode;
  onCancel: () => void;
  children: ReactNode;
};

/** One step of a change on /security, with a button that cancels the change. */
export function ChangePanel({ stage, text, failure, onCancel, children }: Props) {
  const { t } = useMessages('security');
  const panel = useRef<HTMLDivElement>(null);
  const textId = useId();
  useEffect(() => panel.current?.focus(), [stage]);
  return (
    <div className={styles.panel} ref={panel} tabIndex={-1} role="group" aria-labelledby={textId}>
      <p id={textId} className={stage === 'ask' ? styles.question : undefined}>
        {text}
      </p>
      {failure}
      {children}
      <Button kind="quiet" onClick={onCancel}>
        {t('proof.cancel')}
      </Button>
    </div>
  );
}

type MethodFailureProps = { failure: Failure; email: string | null; keepChange: () => void };

/** Why a change of the sign-in methods failed, with the next step if there is one. */
export function MethodFailure({ failure, email, keepChange }: MethodFailureProps) {
  const { t } = useMessages('security');
  // The form asks for the code.
  if (failure === 'code-required') return null;
  if (isFactorFailure(failure)) return <FactorFailureNotice failure={failure} />;
  if (failure === 'last-method') return <Notice tone="error">{t('methods.lastStays')}</Notice>;
  if (!isAuthErrorCode(failure)) return <PasskeyFailureNotice failure={failure} />;
  return (
    <Notice tone="error">
      <p>{isCredentialFailure(failure) ? t('common:fields.currentWrong') : t(errorTextKey(failure))}</p>
      {failure === 'auth/requires-recent-login' && <SignInAgain email={email} onLeave={keepChange} />}
    </Notice>
  );
}

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
