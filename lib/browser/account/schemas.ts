import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';
import { passkeyName } from '@/lib/shared/account/passkey-name';

// Loaded by each form when something is typed. Messages are keys of the `common` namespace.

/** The current password, for reauthentication. */
export const proofSchema = z.object({ current: z.string().check(z.minLength(1, 'fields.passwordMissing')) });

export const newPasswordSchema = z.object({ password: newPasswordField });
export type NewPasswordValues = z.output<typeof newPasswordSchema>;

export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'fields.currentMissing')),
  password: newPasswordField,
});
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;

/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, password: newPasswordField });
export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;

export const passkeyNameSchema = z.object({ name: passkeyName });
