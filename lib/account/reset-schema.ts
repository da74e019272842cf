import * as z from 'zod/mini';
import { codeField } from './code-schemas';
import { newPassword, sameAgain } from './password-schemas';

/** A code from a reset mail, and the new password. */
export const codeAndPasswordSchema = z.object({ code: codeField, ...newPassword }).check(sameAgain);
export type CodeAndPasswordValues = z.output<typeof codeAndPasswordSchema>;
