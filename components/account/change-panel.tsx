import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { MethodFailure as Failure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { isFactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import accountStyles from './account.module.css';
import { FactorFailureNotice } from './factor-code-fields';
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

/** Signs out and leads to sign-in, which returns to this page. @param onLeave runs before that, to keep what was begun */
export function SignInAgain({ email, onLeave }: { email: string | null; onLeave?: () => void }) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const [leaving, setLeaving] = useState(false);
  const leave = async () => {
    setLeaving(true);
    onLeave?.();
    if (!(await signInAgain(env, email))) setLeaving(false);
  };
  return (
    <div className={accountStyles.again}>
      <Button kind="quiet" busy={leaving} busyLabel={t('signingOut')} onClick={() => void leave()}>
        {t('signInAgain')}
      </Button>
    </div>
  );
}
