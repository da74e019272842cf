import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';

/** A new password and, on forms that have it, the confirmation field. */
const newPassword = { password: newPasswordField, confirm: z.string() };
type NewPassword = { password: string; confirm: string };

const confirmsPassword = z.refine<NewPassword>(({ password, confirm }) => confirm === '' || confirm === password, {
  error: 'new-password:differ',
  path: ['confirm'],
});

export const newPasswordSchema = z.object(newPassword).check(confirmsPassword);
export const changePasswordSchema = z
  .object({ current: z.string().check(z.minLength(1, 'fields.currentMissing')), ...newPassword })
  .check(confirmsPassword);
/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, ...newPassword }).check(confirmsPassword);
/** The current password, for reauthentication. Messages are keys of the `common` namespace. */
export const proofSchema = z.object({ current: z.string().check(z.minLength(1, 'fields.passwordMissing')) });

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;
export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
