import * as z from 'zod/mini';

/** A form that asks for an address alone. Messages are keys of the `common` namespace. */
export const emailSchema = z.object({ email: z.string().check(z.trim(), z.email('fields.emailInvalid')) });
export type EmailValues = z.output<typeof emailSchema>;
