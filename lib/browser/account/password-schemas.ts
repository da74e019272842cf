import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';

export const newPasswordSchema = z.object({ password: newPasswordField });
export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'fields.currentMissing')),
  password: newPasswordField,
});

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
