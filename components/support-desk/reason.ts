import * as z from 'zod/mini';
import { REASON } from '@/lib/shared/support/desk';

/** The rule of a reason, for the forms of this page. A text that is not a key of a message is shown as it is. */
export const reason = z
  .string()
  .check(
    z.trim(),
    z.minLength(REASON.min, 'Enter a reason of at least three characters.'),
    z.maxLength(REASON.max, 'Enter a shorter reason.'),
    z.regex(REASON.line, 'Enter a reason of one line.'),
  );

export const REASON_HINT = 'The owner can read it. Name a ticket and no person.';
