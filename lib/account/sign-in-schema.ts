import * as z from 'zod/mini';

/** What the sign-in form asks for. Messages are keys of the `common` namespace. */
export const signInSchema = z.object({
  email: z.string().check(z.trim(), z.email('fields.emailInvalid')),
  password: z.string().check(z.minLength(1, 'fields.passwordMissing')),
});
export type SignInValues = z.output<typeof signInSchema>;
