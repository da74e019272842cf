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
  /** Whether something can be typed on the page: some messages say that it is still there. */
  hasForm: boolean;
  onExpire: () => void;
  /** A link or button for the next step. */
  children?: ReactNode;
};

/** Explains a failure and the next step. Disappears when the rate limit it names has expired. */
export function ProblemNotice({ failure, hasForm, onExpire, children }: Props) {
  const { t } = useMessages('problems');
  const code = (!hasForm && WITHOUT_FORM[failure.code]) || failure.code;
  // Shown at the field.
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

/** Instead of those whose message speaks of what was typed. */
const WITHOUT_FORM: Partial<Record<FlowFailure['code'], AuthErrorCode>> = {
  network: 'auth/network-request-failed',
  'provider-unavailable': 'unknown',
  'auth/session-unavailable': 'unknown',
};

/** Failures with their own message, `{code}` in the `problems` namespace; all others share `unknown`. */
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
type ProblemText = (typeof PROBLEM_TEXTS)[number];

/** Key of a failure's message, with its namespace. */
function problemTextKey(code: CallFailure['code']): `problems:${ProblemText}` {
  // A form for a code is shown only where one was requested: its cookie has expired with it.
  if (code === 'code-missing') return 'problems:code-expired';
  return `problems:${PROBLEM_TEXTS.find((text) => text === code) ?? 'unknown'}`;
}
