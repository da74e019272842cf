import * as z from 'zod/mini';
import { PASSKEY_NAME_MAX_LENGTH } from './passkeys';

/** The owner's name for a passkey. The database stores no control characters. */
export const passkeyName = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'security:passkeys.nameMissing'),
    z.maxLength(PASSKEY_NAME_MAX_LENGTH),
    z.regex(/^[^\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]*$/u, 'security:passkeys.nameInvalid'),
  );
