import { Suspense } from 'react';
import { Notice } from '@/components/ui/notice';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { errorTextKey, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';

/** Of few sign-ins: the first scripts of the page go without it. */
const RetryAfterNotice = lazyWithFallback(async () => ({
  default: (await import('./retry-after-notice')).RetryAfterNotice,
}));

type Props = {
  failure: SignInFailure;
  /** Failed attempts so far: the second adds a hint to reset the password, later ones that the reset also emails how to sign in. */
  tries?: number;
  onExpire: () => void;
};

/** Why a sign-in failed. Disappears when the rate limit it names has expired. */
export function SignInFailureNotice({ failure, tries = 0, onExpire }: Props) {
  const { t } = useMessages('common');
  const { code } = failure;
  const isGeneral = isCredentialFailure(code);
  return (
    <Notice tone="error">
      <p>{t(errorTextKey(isGeneral ? 'auth/invalid-login-credentials' : code), failure)}</p>
      <Suspense>
        {(code === 'auth/too-many-requests' || code === 'auth/email-not-verified') && (
          <RetryAfterNotice failure={failure} onExpire={onExpire} />
        )}
      </Suspense>
      {isGeneral && tries > 1 && <p>{tries === 2 ? t('errors.tryReset') : t('errors.trySignInHelp')}</p>}
    </Notice>
  );
}
