import * as z from 'zod/mini';
import { CODE_LENGTH, normalizeCode } from './typed-codes';

/** A one-time code as typed by a user. */
export const codeField = z
  .string()
  .check(z.overwrite(normalizeCode), z.length(CODE_LENGTH, 'one-time-code:incomplete'));

export const codeSchema = z.object({ code: codeField });
export type CodeValues = z.output<typeof codeSchema>;
