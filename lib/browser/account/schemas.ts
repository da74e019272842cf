import * as z from 'zod/mini';
import { codeField, newPasswordField, passkeyName } from '@/lib/shared/account/schemas';
import { APP_CODE_LENGTH, RECOVERY_CODE_LENGTH, normalizeAppCode, normalizeRecoveryCode } from '../second-factor/codes';

export const newPasswordSchema = z.object({ password: newPasswordField });
export const changePasswordSchema = z.object({
  current: z.string().check(z.minLength(1, 'fields.currentMissing')),
  password: newPasswordField,
});

export type NewPasswordValues = z.output<typeof newPasswordSchema>;
export type ChangePasswordValues = z.output<typeof changePasswordSchema>;

/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, password: newPasswordField });

export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;

/** The current password, for reauthentication. Messages are keys of the `common` namespace. */
export const proofSchema = z.object({ current: z.string().check(z.minLength(1, 'fields.passwordMissing')) });

export const passkeyNameSchema = z.object({ name: passkeyName });

/** @param incomplete key of the message, in a namespace that the page has */
const appCode = (incomplete: string) =>
  z.string().check(z.overwrite(normalizeAppCode), z.length(APP_CODE_LENGTH, incomplete));
const recoveryCode = (incomplete: string) =>
  z.string().check(z.overwrite(normalizeRecoveryCode), z.length(RECOVERY_CODE_LENGTH, incomplete));

/** A code of a second factor on pages about an account. */
export const appCodeSchema = z.object({ code: appCode('two-step-verification:code.incomplete') });
export const recoveryCodeSchema = z.object({ code: recoveryCode('two-step-verification:recoveryCode.incomplete') });

/** The same while signing in. */
export const signInAppCodeSchema = z.object({ code: appCode('second-factor:code.incomplete') });
export const signInRecoveryCodeSchema = z.object({ recoveryCode: recoveryCode('second-factor:recovery.incomplete') });

export type SignInAppCodeValues = z.output<typeof signInAppCodeSchema>;
export type SignInRecoveryCodeValues = z.output<typeof signInRecoveryCodeSchema>;
