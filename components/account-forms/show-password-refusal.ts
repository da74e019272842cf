import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { isPasswordRefusal } from '@/lib/shared/problem';

/** Shows at the field that the server rejected a new password. @returns the failure, unchanged */
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
