import * as z from 'zod/mini';
import { cleanEmail } from './clean-email';
import { normalizePassword } from './typed-password';
import { EMAIL_ADDRESS, EMAIL_MAX, SIGN_UP } from './email-rules';

/** Maximum password length, far beyond what users choose. */
const PASSWORD_MAX = 256;

// Messages are translation keys. Without a namespace, they are in `common`.

export const emailField = z
  .string()
  .check(
    z.overwrite(cleanEmail),
    z.minLength(SIGN_UP.emailMin, 'fields.emailInvalid'),
    z.maxLength(EMAIL_MAX, 'fields.emailInvalid'),
    z.email({ pattern: EMAIL_ADDRESS, error: 'fields.emailInvalid' }),
  );

/** A new password in the form that is stored. Each code point counts as one character (NIST SP 800-63B-4, section 3.1.1.2). */
export const newPasswordField = z.string().check(
  z.overwrite(normalizePassword),
  z.minLength(SIGN_UP.passwordMin, 'new-password:short'),
  z.refine((password) => [...password].length >= SIGN_UP.passwordMin, 'new-password:short'),
  z.maxLength(PASSWORD_MAX, 'new-password:long'),
);
