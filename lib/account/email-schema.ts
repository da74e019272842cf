import * as z from 'zod/mini';
import { emailField } from './fields';

/** What a form asks for that needs nothing but an address. */
export const emailSchema = z.object({ email: emailField });
export type EmailValues = z.output<typeof emailSchema>;
