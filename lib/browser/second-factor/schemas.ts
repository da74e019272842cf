import * as z from 'zod/mini';
import { APP_CODE_LENGTH, normalizeAppCode, normalizeRecoveryCode, RECOVERY_CODE_LENGTH } from './codes';

export const appCodeSchema = z.object({
  code: z
    .string()
    .check(z.overwrite(normalizeAppCode), z.length(APP_CODE_LENGTH, 'two-step-verification:code.incomplete')),
});

export const recoveryCodeSchema = z.object({
  code: z
    .string()
    .check(
      z.overwrite(normalizeRecoveryCode),
      z.length(RECOVERY_CODE_LENGTH, 'two-step-verification:recoveryCode.incomplete'),
    ),
});
