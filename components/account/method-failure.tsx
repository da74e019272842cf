import { Notice } from '@/components/ui/notice';
import type { MethodFailure as Failure } from '@/lib/browser/account/account-methods';
import { errorTextKey, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { useMessages } from '@/lib/browser/use-messages';
import { SignInAgain } from './sign-in-again';

type Props = { failure: Failure; email: string | null; keepChange: () => void };

/** Why a change of the sign-in methods failed, with the next step if there is one. */
export function MethodFailure({ failure, email, keepChange }: Props) {
  const { t } = useMessages('security');
  if (failure === 'last-method') return <Notice tone="error">{t('methods.lastStays')}</Notice>;
  return (
    <Notice tone="error">
      <p>{isCredentialFailure(failure) ? t('common:fields.currentWrong') : t(errorTextKey(failure))}</p>
      {failure === 'auth/requires-recent-login' && <SignInAgain email={email} onLeave={keepChange} />}
    </Notice>
  );
}
