import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { confirmsPassword, newPassword } from './password-schemas';

/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, ...newPassword }).check(confirmsPassword);

export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
