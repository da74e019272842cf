import type { ApiResult } from '../api-client';

/** Reasons why a code or a change of the second factor was refused, each with its text in `two-step-verification:failures`. */
export const FACTOR_FAILURES = [
  'code-wrong',
  'code-used',
  'code-locked',
  'code-expired',
  'factor-limit',
  'not-found',
  'recent-login-required',
  'second-factor-required',
  'sign-in-expired',
  'user-disabled',
  'records-unavailable',
  'provider-unavailable',
  'too-many-requests',
  'network',
  'unknown',
] as const;
type FactorFailureCode = (typeof FACTOR_FAILURES)[number];

/** `retryAfter` in seconds. An object, since other failures of a proof have codes of the same name. */
export type FactorFailure = { factor: FactorFailureCode; retryAfter: number | null; triesLeft: number | null };

type CallFailure = Extract<ApiResult<unknown>, { ok: false }>;

/** The failure of one of our calls. */
export function toFactorFailure({ code, retryAfter, triesLeft }: CallFailure): FactorFailure {
  return { factor: toCode(code), retryAfter, triesLeft };
}

export function createFactorFailure(factor: FactorFailureCode): FactorFailure {
  return { factor, retryAfter: null, triesLeft: null };
}

/** Whether the failure is one of a code or of the second factor. */
export function isFactorFailure(failure: unknown): failure is FactorFailure {
  return typeof failure === 'object' && failure !== null && 'factor' in failure;
}

/** Whether only a new proof with all factors leads on. */
export function isProofMissing({ factor }: FactorFailure): boolean {
  return factor === 'recent-login-required' || factor === 'second-factor-required';
}

function toCode(code: CallFailure['code']): FactorFailureCode {
  // Of the token of the first factor.
  if (code.startsWith('token-')) return 'recent-login-required';
  return FACTOR_FAILURES.find((failure) => failure === code) ?? 'unknown';
}
