import * as z from 'zod/mini';
import { CODE_LENGTH, normaliseCode } from './one-time-code';

/** A one-time code as people type it. */
export const codeField = z
  .string()
  .check(z.overwrite(normaliseCode), z.length(CODE_LENGTH, 'one-time-code:incomplete'));

export const codeSchema = z.object({ code: codeField });
export type CodeValues = z.output<typeof codeSchema>;
