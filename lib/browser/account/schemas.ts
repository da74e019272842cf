import * as z from 'zod/mini';
import { passkeyName } from '@/lib/shared/account/passkey-name';
import {
  APP_CODE_LENGTH,
  RECOVERY_CODE_LENGTH,
  normalizeAppCode,
  normalizeRecoveryCode,
} from '../../shared/account/typed-codes';

// Schemas of forms that change an account. Other forms have separate modules, so that a page loads only its own forms'
// texts.

/** The current password, for reauthentication. Messages are keys of the `common` namespace. */
export const proofSchema = z.object({ current: z.string().check(z.minLength(1, 'fields.passwordMissing')) });

export const passkeyNameSchema = z.object({ name: passkeyName });

export const accountAppCodeSchema = z.object({
  code: z
    .string()
    .check(z.overwrite(normalizeAppCode), z.length(APP_CODE_LENGTH, 'two-step-verification:code.incomplete')),
});

export const accountRecoveryCodeSchema = z.object({
  code: z
    .string()
    .check(
      z.overwrite(normalizeRecoveryCode),
      z.length(RECOVERY_CODE_LENGTH, 'two-step-verification:recoveryCode.incomplete'),
    ),
});
