import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';

export const newPasswordSchema = z.object({ password: newPasswordField });
export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'fields.currentMissing')),
  password: newPasswordField,
});
/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, password: newPasswordField });

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
