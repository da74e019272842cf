import * as z from 'zod/mini';
import { EMAIL_ADDRESS, EMAIL_MAX } from './email-rules';
import { SIGN_UP } from './limits';
import { CODE_LENGTH, normaliseCode } from './one-time-code';

/** Longest password that is looked at; far beyond what people use. */
const PASSWORD_MAX = 256;

// Messages are keys of the `common` namespace.

export const emailField = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.minLength(SIGN_UP.emailMin, 'fields.emailInvalid'),
    z.maxLength(EMAIL_MAX, 'fields.emailInvalid'),
    z.email({ pattern: EMAIL_ADDRESS, error: 'fields.emailInvalid' }),
  );

/** A display name: any script, but no control characters and no address, which would turn our mails into advertising. */
export const nameField = z.string().check(
  z.overwrite((text) => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()),
  z.minLength(SIGN_UP.nameMin, 'fields.nameLength'),
  z.maxLength(SIGN_UP.nameMax, 'fields.nameLength'),
  z.regex(/^(?!.*(?::\/\/|www\.))[^\p{C}<>]*$/iu, 'fields.nameInvalid'),
);

export const newPasswordField = z
  .string()
  .check(z.minLength(SIGN_UP.passwordMin, 'fields.passwordShort'), z.maxLength(PASSWORD_MAX, 'fields.passwordLong'));

/** A one-time code as people type it. */
export const codeField = z.string().check(z.overwrite(normaliseCode), z.length(CODE_LENGTH, 'fields.codeIncomplete'));
