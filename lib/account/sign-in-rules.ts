import type { FieldErrors, ResolverResult } from 'react-hook-form';

export type SignInValues = { email: string; password: string };

/** Something, an at, and a host with a dot: whether the address exists the identity provider knows. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/**
 * What the sign-in form asks for. Messages are keys of the `common` namespace. The form library's own kind of check rather
 * than a schema: this form is the one that everybody loads, and two rules are not worth zod and its resolver (docs/adr/0019).
 */
export const signInRules = { resolver };

function resolver(input: Partial<SignInValues>): ResolverResult<SignInValues> {
  const { email = '', password = '' } = input;
  const trimmed = email.trim();
  const errors: FieldErrors<SignInValues> = {};
  if (!EMAIL.test(trimmed)) errors.email = { type: 'pattern', message: 'fields.emailInvalid' };
  if (password === '') errors.password = { type: 'required', message: 'fields.passwordMissing' };
  return Object.keys(errors).length > 0 ? { values: {}, errors } : { values: { email: trimmed, password }, errors: {} };
}
