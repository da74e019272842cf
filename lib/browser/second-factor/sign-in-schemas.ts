import * as z from 'zod/mini';
import {
  APP_CODE_LENGTH,
  normalizeAppCode,
  normalizeRecoveryCode,
  RECOVERY_CODE_LENGTH,
} from '../../shared/account/typed-codes';

export const appCodeSchema = z.object({
  code: z.string().check(z.overwrite(normalizeAppCode), z.length(APP_CODE_LENGTH, 'second-factor:code.incomplete')),
});

export const recoveryCodeSchema = z.object({
  recoveryCode: z
    .string()
    .check(z.overwrite(normalizeRecoveryCode), z.length(RECOVERY_CODE_LENGTH, 'second-factor:recovery.incomplete')),
});
