import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';
import { Notice } from '@/components/ui/notice';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';

type Props = {
  failure: CodeFailure;
  hasPasskeys: boolean;
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire: () => void;
};

/** Why a code did not sign in, and what to do next. What was entered stays. */
export function CodeFailureNotice({ failure, hasPasskeys, onExpire }: Props) {
  const { t } = useMessages('second-factor');
  switch (failure.code) {
    // Shown at the field.
    case 'code-wrong':
    case 'code-used':
      return null;
    case 'too-many-requests':
      return (
        <Notice tone="error">
          <p>{t('failures.tooMany')}</p>
          <RetryAfterNotice failure={failure} onExpire={onExpire} />
          <p>{hasPasskeys ? t('failures.passkey') : t('failures.recovery')}</p>
        </Notice>
      );
    case 'network':
      return <Notice tone="error">{t('common:errors.auth/network-request-failed')}</Notice>;
    case 'records-unavailable':
    case 'provider-unavailable':
    case 'shutting-down':
      return <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>;
    default:
      return <Notice tone="error">{t('common:errors.unknown')}</Notice>;
  }
}
