import * as z from 'zod/mini';
import { emailField, newPasswordField } from './fields';
import { createNameField, type NameLength } from './name-field';

/** Schemas of the registration (docs/product.md#validation). */
export function createRegistrationSchemas(nameLength: NameLength) {
  const common = { name: createNameField(nameLength), email: emailField };
  return {
    withPassword: z.object({ ...common, password: newPasswordField }),
    /** The same form while its password is not shown, and so not checked. */
    passwordlessForm: z.object({ ...common, password: z.catch(z.string(), '') }),
    /** A registration without a password: the user creates a passkey once the email is confirmed. */
    withPasskey: z.object({ ...common, passkey: z.literal(true) }),
  };
}

type Schemas = ReturnType<typeof createRegistrationSchemas>;
export type RegistrationValues = z.output<Schemas['withPassword']>;
/** Of either form. */
export type Registration = RegistrationValues | z.output<Schemas['withPasskey']>;
