import { Suspense } from 'react';
import { Notice } from '@/components/ui/notice';
import { errorTextKey, isCredentialFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { lazyWithFallback } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import type { DetailsProps } from './failure-details';

/** Lazy-loaded, because few sign-ins need it. */
const FailureDetails = lazyWithFallback(() => import('./failure-details'));

/** Explains why a sign-in failed. Disappears when its rate limit has expired. */
export function SignInFailureNotice(props: DetailsProps) {
  const { t } = useMessages('common');
  const { failure } = props;
  const { code } = failure;
  return (
    <Notice tone="error">
      <p>{t(errorTextKey(isCredentialFailure(code) ? 'auth/invalid-login-credentials' : code), failure)}</p>
      <Suspense>
        <FailureDetails {...props} />
      </Suspense>
    </Notice>
  );
}
