import * as z from 'zod/mini';
import { emailField, newPasswordField } from './fields';
import { createNameField, type NameLength } from './name-field';

/** Schemas of the registration (docs/product.md#validation). */
export function createRegistrationSchemas(nameLength: NameLength) {
  const common = { name: createNameField(nameLength), email: emailField };
  return {
    withPassword: z.object({ ...common, password: newPasswordField }),
    /** The form while its password field is hidden, so the password is not validated. */
    passwordlessForm: z.object({ ...common, password: z.catch(z.string(), '') }),
    /** A registration without a password. The user creates a passkey after confirming the email. */
    withPasskey: z.object({ ...common, passkey: z.literal(true) }),
  };
}

type Schemas = ReturnType<typeof createRegistrationSchemas>;
export type RegistrationValues = z.output<Schemas['withPassword']>;
/** Values of a registration with or without a password. */
export type Registration = RegistrationValues | z.output<Schemas['withPasskey']>;
