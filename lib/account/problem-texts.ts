import type { CallFailure } from './calls';

/** Failures with a text of their own, `{code}` in the `problems` namespace; all others share `unknown`. */
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

/** Key of a failure's text, with its namespace. */
export function problemTextKey(code: CallFailure['code']): string {
  const known: readonly string[] = PROBLEM_TEXTS;
  return `problems:${known.includes(code) ? code : 'unknown'}`;
}
