import type { ProblemCode } from '../problem';

/** Reasons why the server rejects a new password. Each has its own message at the field. */
export const PASSWORD_REFUSALS = [
  'password-breached',
  'password-common',
  'password-personal',
  'password-weak',
] as const satisfies readonly ProblemCode[];

/** Whether a failure is shown at the field and needs no notice. */
export function isPasswordRefusal(code: string): boolean {
  const refusals: readonly string[] = PASSWORD_REFUSALS;
  return refusals.includes(code);
}
