/** Why the server does not take a new password. Each has a text of its own at the field. */
export const PASSWORD_REFUSALS = ['password-common', 'password-personal', 'password-weak'] as const;

/** Whether a failure is said at the field, and needs no notice. */
export function isPasswordRefusal(code: string): boolean {
  const refusals: readonly string[] = PASSWORD_REFUSALS;
  return refusals.includes(code);
}
