import * as z from 'zod/mini';
import { emailField, newPasswordField } from './fields';
import { SIGN_UP } from './limits';

/** A display name: any script, but no control characters and no address, which would turn our mails into advertising. */
const nameField = z.string().check(
  z.overwrite((text) => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()),
  z.minLength(SIGN_UP.nameMin, 'registration:name.length'),
  z.maxLength(SIGN_UP.nameMax, 'registration:name.length'),
  z.regex(/^(?!.*(?::\/\/|www\.))[^\p{C}<>]*$/iu, 'registration:name.invalid'),
);

/** What creating an account asks for (specification, section 5). */
export const registrationSchema = z.object({ name: nameField, email: emailField, password: newPasswordField });
export type RegistrationValues = z.output<typeof registrationSchema>;
