import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';

/** A new password and, on forms that have it, the confirmation field. */
export const newPassword = { password: newPasswordField, confirm: z.string() };
type NewPassword = { password: string; confirm: string };

export const confirmsPassword = z.refine<NewPassword>(
  ({ password, confirm }) => confirm === '' || confirm === password,
  {
    error: 'new-password:differ',
    path: ['confirm'],
  },
);

export const newPasswordSchema = z.object(newPassword).check(confirmsPassword);
export const changePasswordSchema = z
  .object({ current: z.string().check(z.minLength(1, 'fields.currentMissing')), ...newPassword })
  .check(confirmsPassword);

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
