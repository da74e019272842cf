import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Notice } from '@/components/ui/notice';
import type { MethodFailure as Failure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isAuthErrorCode, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { isFactorFailure } from '@/lib/browser/second-factor/failure';
import { useMessages } from '@/lib/browser/use-messages';
import { FactorFailureNotice } from './factor-failure-notice';
import { SignInAgain } from './sign-in-again';

type Props = { failure: Failure; email: string | null; keepChange: () => void };

/** Why a change of the sign-in methods failed, with the next step if there is one. */
export function MethodFailure({ failure, email, keepChange }: Props) {
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
