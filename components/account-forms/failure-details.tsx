import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { useMessages } from '@/lib/browser/use-messages';
import { RepeatNotice, RetryAfterNotice } from './retry-after-notice';

export type DetailsProps = {
  failure: SignInFailure;
  /**
   * Number of failed attempts. The second adds a hint to reset the password. Later attempts mention that the reset also
   * emails how to sign in.
   */
  tries?: number | undefined;
  /** Seconds until the page automatically signs in again (`useRepeat`). */
  wait?: number | null | undefined;
  onExpire: () => void;
};

/** Shows what helps after the failure of a sign-in: when the next attempt is possible, or a new password. */
export default function FailureDetails({ failure, tries = 0, wait = null, onExpire }: DetailsProps) {
  const { t } = useMessages('common');
  const { code } = failure;
  return (
    <>
      {(code === 'auth/too-many-requests' || code === 'auth/email-not-verified') && (
        <RetryAfterNotice failure={failure} onExpire={onExpire} />
      )}
      {wait !== null && <RepeatNotice wait={wait} />}
      {isCredentialFailure(code) && tries > 1 && (
        <p>{tries === 2 ? t('errors.tryReset') : t('errors.trySignInHelp')}</p>
      )}
    </>
  );
}
