import * as z from 'zod/mini';
import { newPasswordField } from './fields';
import { CODE_LENGTH, normalizeCode } from './typed-codes';

/** A one-time code as typed by a user. */
export const codeField = z
  .string()
  .check(z.overwrite(normalizeCode), z.length(CODE_LENGTH, 'one-time-code:incomplete'));

export const codeSchema = z.object({ code: codeField });
export type CodeValues = z.output<typeof codeSchema>;

/** A code from a reset email, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, password: newPasswordField });
export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
