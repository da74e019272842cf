import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { isPasswordRefusal } from '@/lib/account/password-refusals';

/** Says at the field that the server does not take a new password. @returns the failure as it came */
export function showPasswordRefusal<Values extends FieldValues & { password: string }, F extends { code: string }>(
  form: UseFormReturn<Values>,
  failure: F,
): F {
  if (isPasswordRefusal(failure.code)) {
    const message = `new-password:${failure.code}`;
    form.setError('password' as Path<Values>, { message }, { shouldFocus: true });
  }
  return failure;
}
