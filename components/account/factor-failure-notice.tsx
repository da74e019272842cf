import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';
import { Notice } from '@/components/ui/notice';
import type { FactorFailure } from '@/lib/browser/second-factor/failure';
import { useMessages } from '@/lib/browser/use-messages';

type Props = {
  failure: FactorFailure;
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire?: () => void;
};

/** Why a code or a change of the second factor was refused, and what to do next. */
export function FactorFailureNotice({ failure, onExpire = () => undefined }: Props) {
  const { t } = useMessages('two-step-verification');
  const { factor, triesLeft } = failure;
  return (
    <Notice tone="error">
      <p>{t(`failures.${factor}`)}</p>
      {factor === 'code-wrong' && triesLeft !== null && triesLeft > 0 && <p>{t('triesLeft', { count: triesLeft })}</p>}
      {factor === 'too-many-requests' && <RetryAfterNotice failure={failure} onExpire={onExpire} />}
    </Notice>
  );
}
