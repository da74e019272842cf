import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';

const MESSAGES: Partial<Record<string, string>> = {
  'password-common': 'fields.passwordCommon',
  'password-personal': 'fields.passwordPersonal',
  'password-weak': 'fields.passwordWeak',
};

/** Whether a failure is said at the field, and needs no notice. */
export function isPasswordRefusal(code: string): boolean {
  return Object.hasOwn(MESSAGES, code);
}

/** Says at the field that the server does not take a new password. @returns the failure as it came */
export function showPasswordRefusal<Values extends FieldValues & { password: string }, F extends { code: string }>(
  form: UseFormReturn<Values>,
  failure: F,
): F {
  const message = MESSAGES[failure.code];
  if (message) form.setError('password' as Path<Values>, { message }, { shouldFocus: true });
  return failure;
}
