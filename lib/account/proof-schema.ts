import * as z from 'zod/mini';

/** What proves anew who is signed in. Messages are keys of the `common` namespace. */
export const proofSchema = z.object({ current: z.string().check(z.minLength(1, 'fields.passwordMissing')) });
