import * as z from 'zod/mini';
import { emailField, newPasswordField } from './fields';
import { nameField } from './name-field';

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
