import { z } from 'zod';

/** What an operator may be allowed to do, by the names of `OPERATORS_FILE`. */
export const SUPPORT_ACTIONS = ['read'] as const;
export type SupportAction = (typeof SUPPORT_ACTIONS)[number];

/** An authenticated operator. */
export type Operator = { name: string; actions: readonly SupportAction[] };

/** Why an operator does something. The owner of the account reads it, so it is text of one line. */
export const reasonSchema = z
  .string()
  .trim()
  .min(3)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u)
  .describe('The owner of the account reads it. Name a ticket and no person.');
