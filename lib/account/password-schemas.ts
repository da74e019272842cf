import * as z from 'zod/mini';
import { newPasswordField } from './fields';

/** A new password and, where it was typed again, the same one again. */
export const newPassword = { password: newPasswordField, confirm: z.string() };
type NewPassword = { password: string; confirm: string };

export const sameAgain = z.refine<NewPassword>(({ password, confirm }) => confirm === '' || confirm === password, {
  error: 'new-password:differ',
  path: ['confirm'],
});

export const newPasswordSchema = z.object(newPassword).check(sameAgain);
export const changePasswordSchema = z
  .object({ current: z.string().check(z.minLength(1, 'fields.currentMissing')), ...newPassword })
  .check(sameAgain);

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
