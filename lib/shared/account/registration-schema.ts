import * as z from 'zod/mini';
import { emailField, newPasswordField } from './fields';
import { SIGN_UP } from './limits';
import { hasLink } from './name-rules';

/** A display name: any script, but no control characters and no URL or email address. */
const nameField = z.string().check(
  z.overwrite((text) => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()),
  z.minLength(SIGN_UP.nameMin, 'registration:name.length'),
  z.maxLength(SIGN_UP.nameMax, 'registration:name.length'),
  z.regex(/^[^\p{C}<>]*$/u, 'registration:name.invalid'),
  z.refine((name) => !hasLink(name), 'registration:name.invalid'),
);

/** Fields of the registration form (docs/product.md#validation). */
export const registrationSchema = z.object({ name: nameField, email: emailField, password: newPasswordField });
/** The same form while its password is not shown, and so not checked. */
export const passwordlessFormSchema = z.object({
  name: nameField,
  email: emailField,
  password: z.catch(z.string(), ''),
});
/** A registration without a password: the user creates a passkey once the email is confirmed. */
export const passkeyRegistrationSchema = z.object({ name: nameField, email: emailField, passkey: z.literal(true) });
export type RegistrationValues = z.output<typeof registrationSchema>;
/** Of either form. */
export type Registration = RegistrationValues | z.output<typeof passkeyRegistrationSchema>;
