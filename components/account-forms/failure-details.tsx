import styles from '@/components/layout/flow.module.css';
import { ButtonLink } from '@/components/ui/button';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { type SignInFailure, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { RepeatNotice, RetryAfterNotice } from './retry-after-notice';

export type DetailsProps = {
  failure: SignInFailure;
  /**
   * Number of failed attempts. The second adds hints to reset the password, and to register again. Later attempts offer
   * a new password and a sign-in by email.
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
      {isCredentialFailure(code) && tries === 2 && (
        <>
          <p>{t('errors.tryReset')}</p>
          <p>{t('errors.tryRegister')}</p>
        </>
      )}
      {isCredentialFailure(code) && tries > 2 && (
        <>
          <p>{t('errors.trySignInHelp')}</p>
          <div className={styles.stack}>
            <ButtonLink href={paths.forgetPassword} onClick={carryTypedEmail}>
              {t('errors.tryNewPassword')}
            </ButtonLink>
            <ButtonLink href={paths.emailLink} onClick={carryTypedEmail}>
              {t('errors.tryCode')}
            </ButtonLink>
          </div>
        </>
      )}
    </>
  );
}
