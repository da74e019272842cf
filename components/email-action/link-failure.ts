import type { FlowFailure } from '@/components/account-forms/problem-notice';
import type { CallFailure } from '@/lib/browser/account/api';

const ENDS = { 'action-code-expired': 'EXPIRED_OOB_CODE', 'action-code-invalid': 'INVALID_OOB_CODE' } as const;
type LinkEnd = (typeof ENDS)[keyof typeof ENDS];

/** Maps the codes of expired and invalid links to the names in the error catalog. */
export function toLinkFailure(failure: CallFailure): FlowFailure {
  const { code } = failure;
  return code === 'action-code-expired' || code === 'action-code-invalid' ? { ...failure, code: ENDS[code] } : failure;
}

/** For screens without a form: the messages of the `problems` namespace say that the typed input is still there. */
export function toLinkFailureWithoutForm(failure: CallFailure): FlowFailure {
  if (failure.code === 'network') return { ...failure, code: 'auth/network-request-failed' };
  return failure.code === 'provider-unavailable' ? { ...failure, code: 'unknown' } : toLinkFailure(failure);
}

/** Why a link can no longer be used; null for a failure that can be retried. */
export function getLinkEnd({ code }: FlowFailure): LinkEnd | null {
  return code === 'EXPIRED_OOB_CODE' || code === 'INVALID_OOB_CODE' ? code : null;
}
