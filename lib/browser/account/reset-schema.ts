import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';

/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, password: newPasswordField });

export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
