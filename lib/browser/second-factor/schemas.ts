import * as z from 'zod/mini';
import { APP_CODE_LENGTH, normalizeAppCode, normalizeRecoveryCode, RECOVERY_CODE_LENGTH } from './codes';

const appCode = (incomplete: string) =>
  z.string().check(z.overwrite(normalizeAppCode), z.length(APP_CODE_LENGTH, incomplete));
const recoveryCode = (incomplete: string) =>
  z.string().check(z.overwrite(normalizeRecoveryCode), z.length(RECOVERY_CODE_LENGTH, incomplete));

// On /security.
export const appCodeSchema = z.object({ code: appCode('two-step-verification:code.incomplete') });
export const recoveryCodeSchema = z.object({ code: recoveryCode('two-step-verification:recoveryCode.incomplete') });

// At sign-in, which has texts of its own.
export const signInAppCodeSchema = z.object({ code: appCode('second-factor:code.incomplete') });
export type AppCodeValues = z.output<typeof signInAppCodeSchema>;
export const signInRecoveryCodeSchema = z.object({ recoveryCode: recoveryCode('second-factor:recovery.incomplete') });
export type RecoveryCodeValues = z.output<typeof signInRecoveryCodeSchema>;
