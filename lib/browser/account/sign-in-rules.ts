import type { FieldErrors, ResolverResult } from 'react-hook-form';
import { cleanEmail } from '@/lib/shared/account/clean-email';

export type SignInValues = { email: string; password: string };

/** Local part, at sign, and a host with a dot. Only the identity provider knows whether the email address exists. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/**
 * Validation rules of the sign-in form. Messages are keys of the `common` namespace. They use the form library's own
 * resolver type instead of a schema. Every visitor loads this form, and two rules do not justify zod and its resolver
 * (docs/adr/0019).
 */
export const signInRules = { resolver };

function resolver(input: Partial<SignInValues>): ResolverResult<SignInValues> {
  const { email = '', password = '' } = input;
  const cleaned = cleanEmail(email);
  const errors: FieldErrors<SignInValues> = {};
  if (!EMAIL.test(cleaned)) errors.email = { type: 'pattern', message: 'fields.emailInvalid' };
  if (password === '') errors.password = { type: 'required', message: 'fields.passwordMissing' };
  return Object.keys(errors).length > 0 ? { values: {}, errors } : { values: { email: cleaned, password }, errors: {} };
}
