import type { CallFailure } from './calls';

/** Failures with a text of their own, `problems.{code}` in the `common` namespace; all others share `unknown`. */
export const PROBLEM_TEXTS = [
  'network',
  'too-many-requests',
  'mail-unavailable',
  'provider-unavailable',
  'code-missing',
  'code-wrong',
  'code-expired',
  'code-locked',
  'code-used',
  'email-taken',
  'password-common',
  'password-personal',
  'password-weak',
  'recent-login-required',
  'user-disabled',
  'unknown',
] as const;

/** Key of a failure's text in the `common` namespace. */
export function problemTextKey(code: CallFailure['code']): string {
  const known: readonly string[] = PROBLEM_TEXTS;
  return `problems.${known.includes(code) ? code : 'unknown'}`;
}
