import { Suspense } from 'react';
import { Notice } from '@/components/ui/notice';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { errorTextKey, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';

/** Lazy-loaded, because few sign-ins need it. */
const RetryAfterNotice = lazyWithFallback(async () => ({
  default: (await import('./retry-after-notice')).RetryAfterNotice,
}));
const RepeatNotice = lazyWithFallback(async () => ({ default: (await import('./retry-after-notice')).RepeatNotice }));

type Props = {
  failure: SignInFailure;
  /**
   * Number of failed attempts. The second adds a hint to reset the password. Later attempts mention that the reset also
   * emails how to sign in.
   */
  tries?: number;
  /** Seconds until the page automatically signs in again (`useRepeat`). */
  wait?: number | null;
  onExpire: () => void;
};

/** Explains why a sign-in failed. Disappears when its rate limit has expired. */
export function SignInFailureNotice({ failure, tries = 0, wait = null, onExpire }: Props) {
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
        {wait !== null && <RepeatNotice wait={wait} />}
      </Suspense>
      {isGeneral && tries > 1 && <p>{tries === 2 ? t('errors.tryReset') : t('errors.trySignInHelp')}</p>}
    </Notice>
  );
}
