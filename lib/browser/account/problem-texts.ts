import type { CallFailure } from './api';

/** Failures with their own message, `{code}` in the `problems` namespace; all others share `unknown`. */
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
  'recent-login-required',
  'user-disabled',
  'unknown',
] as const;
type ProblemText = (typeof PROBLEM_TEXTS)[number];

/** Key of a failure's message, with its namespace. */
export function problemTextKey(code: CallFailure['code']): `problems:${ProblemText}` {
  return `problems:${PROBLEM_TEXTS.find((text) => text === code) ?? 'unknown'}`;
}
