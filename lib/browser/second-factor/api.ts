import type { Auth } from 'firebase/auth';
import type { FactorCode } from '@/lib/shared/account/security';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import { postJson, type CallFailure } from '../api-client';
import { rememberProvider } from '../auth/pending';

/**
 * Lets the signed-in user show a code after the first factor, before a change of the account. It signs in at the
 * identity provider with both factors.
 * @param token ID token of the first factor, at most 5 minutes old
 * @returns null when the user is verified
 */
export async function proveSecondFactor(auth: Auth, token: string, code: FactorCode): Promise<FactorFailure | null> {
  const proved = await postJson<{ customToken: string }>(secondFactorPaths.prove, { token, ...code });
  if (!proved.ok) return toFactorFailure(proved);
  const { signInWithCustomToken } = await import('../auth/provider/sdk');
  await signInWithCustomToken(auth, proved.data.customToken);
  rememberProvider();
  return null;
}

/** Cancels a scheduled reset, so that the second factor stays. */
export const cancelFactorReset = () => postJson(secondFactorPaths.cancelReset);

/**
 * Reasons for refusing a code or a change of the second factor. Each has its text in `two-step-verification:failures`.
 */
export const FACTOR_FAILURES = [
  'code-wrong',
  'code-used',
  'code-locked',
  'code-expired',
  'factor-limit',
  'factor-replaced',
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

/** `retryAfter`: in seconds. It is an object, because other failures of a proof have codes with the same names. */
export type FactorFailure = { factor: FactorFailureCode; retryAfter: number | null; triesLeft: number | null };

/** Converts the failure of a call. */
export function toFactorFailure({ code, retryAfter, triesLeft }: CallFailure): FactorFailure {
  return { factor: toCode(code), retryAfter, triesLeft };
}

/** Whether the failure is about a code or the second factor. */
export function isFactorFailure(failure: unknown): failure is FactorFailure {
  return typeof failure === 'object' && failure !== null && 'factor' in failure;
}

/** Whether a new proof with all factors is needed. */
export function isProofMissing({ factor }: FactorFailure): boolean {
  return factor === 'recent-login-required' || factor === 'second-factor-required';
}

function toCode(code: CallFailure['code']): FactorFailureCode {
  // These codes are about the token of the first factor.
  if (code.startsWith('token-')) return 'recent-login-required';
  return FACTOR_FAILURES.find((failure) => failure === code) ?? 'unknown';
}
