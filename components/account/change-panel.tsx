import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Notice } from '@/components/ui/notice';
import type { MethodFailure as Failure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { isFactorFailure } from '@/lib/browser/second-factor/api';
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

/** `keepChange`: runs before a new sign-in, so that the change goes on after it. */
type MethodFailureProps = { failure: Failure; email: string | null; keepChange?: () => void };

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
