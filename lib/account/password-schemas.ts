import * as z from 'zod/mini';
import { codeField, newPasswordField } from './fields';

/** A new password and, where it was typed again, the same one again. */
const newPassword = { password: newPasswordField, confirm: z.string() };
type NewPassword = { password: string; confirm: string };

const sameAgain = z.refine<NewPassword>(({ password, confirm }) => confirm === '' || confirm === password, {
  error: 'fields.passwordsDiffer',
  path: ['confirm'],
});

export const newPasswordSchema = z.object(newPassword).check(sameAgain);
export const codeAndPasswordSchema = z.object({ code: codeField, ...newPassword }).check(sameAgain);
export const changePasswordSchema = z
  .object({ current: z.string().check(z.minLength(1, 'fields.currentMissing')), ...newPassword })
  .check(sameAgain);
export const codeSchema = z.object({ code: codeField });

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
export type CodeValues = z.output<typeof codeSchema>;
