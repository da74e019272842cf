import * as z from 'zod/mini';

/** The current password, for reauthentication. Messages are keys of the `common` namespace. */
export const proofSchema = z.object({ current: z.string().check(z.minLength(1, 'fields.passwordMissing')) });
