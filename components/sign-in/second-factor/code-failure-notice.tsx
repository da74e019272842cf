import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';
import { Notice } from '@/components/ui/notice';
import type { CodeFailure } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';

type Props = {
  kind: 'app' | 'recovery';
  failure: CodeFailure;
  hasPasskeys: boolean;
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire: () => void;
};

/** Why a code did not sign in, and what to do next. What was entered stays. */
export function CodeFailureNotice({ kind, failure, hasPasskeys, onExpire }: Props) {
  const { t } = useMessages('second-factor');
  switch (failure.code) {
    case 'code-wrong': {
      const { triesLeft } = failure;
      return (
        <Notice tone="error">
          <p>
            {t('failures.wrong')} {triesLeft !== null && t('failures.triesLeft', { count: triesLeft })}
          </p>
          {kind === 'app' && <p>{t('failures.clock')}</p>}
        </Notice>
      );
    }
    case 'code-used':
      return <Notice tone="error">{kind === 'app' ? t('failures.used') : t('failures.recoveryUsed')}</Notice>;
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
