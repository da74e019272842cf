import { useState } from 'react';
import { isFactorFailure, type FactorFailure } from '@/lib/browser/second-factor/api';
import { useMessages } from '@/lib/browser/use-messages';
import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';
import { Notice } from '@/components/ui/notice';

/** Whether the failure is shown at the field of the code. */
export function isCodeRefused(failure: unknown): failure is FactorFailure {
  return isFactorFailure(failure) && (failure.factor === 'code-wrong' || failure.factor === 'code-used');
}

type NoticeProps = {
  failure: FactorFailure;
  /** Whether the code was a proof, for which the user has other options. */
  isProof?: boolean;
  /** Called to clear the form's failure as well. */
  onExpire?: () => void;
};

/**
 * Explains why a change of the second factor was refused, and the next step. The field itself shows an error of a code.
 * Disappears when its rate limit has expired.
 */
export function FactorFailureNotice({ failure, isProof, onExpire }: NoticeProps) {
  const { t } = useMessages('two-step-verification');
  const [expired, setExpired] = useState<FactorFailure>();
  if (expired === failure) return null;
  const { factor } = failure;
  const isLimited = factor === 'too-many-requests';
  return (
    <Notice tone="error">
      <p>{isLimited && !isProof ? t('passkeys:failures.too-many-requests') : t(`failures.${factor}`)}</p>
      {isLimited && (
        <RetryAfterNotice
          failure={failure}
          onExpire={() => {
            setExpired(failure);
            onExpire?.();
          }}
        />
      )}
    </Notice>
  );
}
