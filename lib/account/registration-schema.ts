import * as z from 'zod/mini';
import { emailField, nameField, newPasswordField } from './fields';

/** What creating an account asks for (specification, section 5). */
export const registrationSchema = z.object({ name: nameField, email: emailField, password: newPasswordField });
export type RegistrationValues = z.output<typeof registrationSchema>;
