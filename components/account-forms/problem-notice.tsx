import type { ReactNode } from 'react';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { isPasswordRefusal } from '@/lib/shared/account/password-rules';
import type { CallFailure } from '@/lib/browser/api-client';
import { errorTextKey, isAuthErrorCode, type AuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { RetryAfterNotice } from './retry-after-notice';

export type FlowFailure = {
  code: AuthErrorCode | CallFailure['code'];
  retryAfter: number | null;
  triesLeft?: number | null;
};

type Props = {
  failure: FlowFailure;
  /** Whether the page has a form. Some messages say that the input is still there. */
  hasForm: boolean;
  onExpire: () => void;
  /** A link or button for the next step. */
  children?: ReactNode;
};

/** Explains a failure and the next step. Disappears when its rate limit has expired. */
export function ProblemNotice({ failure, hasForm, onExpire, children }: Props) {
  const { t } = useMessages('problems');
  const code = (!hasForm && WITHOUT_FORM[failure.code]) || failure.code;
  // The field shows this failure.
  if (isPasswordRefusal(code) || code === 'code-wrong') return null;
  return (
    <Notice tone="error">
      <p>{t(isAuthErrorCode(code) ? errorTextKey(code) : problemTextKey(code))}</p>
      {code === 'too-many-requests' && <RetryAfterNotice failure={failure} onExpire={onExpire} />}
      {code === 'code-used' && <PageLink href={paths.signIn}>{t('toSignIn')}</PageLink>}
      {children}
    </Notice>
  );
}

/** Replaces codes whose message mentions the input, on pages without a form. */
const WITHOUT_FORM: Partial<Record<FlowFailure['code'], AuthErrorCode>> = {
  network: 'auth/network-request-failed',
  'provider-unavailable': 'unknown',
  'records-unavailable': 'unknown',
  'auth/session-unavailable': 'unknown',
};

/** Failures with their own message, `{code}` in the `problems` namespace. All others share `unknown`. */
export const PROBLEM_TEXTS = [
  'network',
  'too-many-requests',
  'mail-unavailable',
  'provider-unavailable',
  'code-wrong',
  'code-expired',
  'code-locked',
  'code-used',
  'email-taken',
  'recent-login-required',
  'user-disabled',
  'unknown',
] as const;

/** Returns the key of a failure's message, with its namespace. */
function problemTextKey(code: CallFailure['code']) {
  if (code === 'provider-not-allowed') return errorTextKey('auth/provider-not-allowed');
  // A learner does not need to distinguish services.
  if (code === 'records-unavailable') return 'problems:provider-unavailable' as const;
  // The form is shown only after a code was requested. So a missing cookie means that the code has expired.
  if (code === 'code-missing') return 'problems:code-expired' as const;
  return `problems:${PROBLEM_TEXTS.find((text) => text === code) ?? 'unknown'}` as const;
}
