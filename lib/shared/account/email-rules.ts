import type { ResolverResult } from 'react-hook-form';
import { cleanEmail } from './clean-email';

/** Sign-up constants (docs/product.md#validation). */
export const SIGN_UP = { passwordMin: 8, emailMin: 6 } as const;

export type EmailValues = { email: string };

/** Maximum email address length that is processed (RFC 5321, section 4.5.3.1.3, without the brackets). */
export const EMAIL_MAX = 254;

const ATOM = "[a-z0-9_'+~&=-]+";
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/**
 * A lowercase email address in common use: a dot-atom of safe characters (RFC 5322, section 3.2.3) at a host with a dot
 * (RFC 1123, section 2.1). The last label is not numeric. The lengths are within RFC 5321 (section 4.5.3.1) and RFC
 * 1035 (2.3.4), because the identity provider and mail servers refuse longer addresses. Browser and server share it.
 */
export const EMAIL_ADDRESS = new RegExp(`^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+(?![0-9]+$|.$)${LABEL}$`);

/** Rules for forms with only an email field, validated without zod (docs/adr/0019). */
export const emailRules = { resolver };

function resolver(input: Partial<EmailValues>): ResolverResult<EmailValues> {
  const email = cleanEmail(input.email ?? '');
  if (email.length >= SIGN_UP.emailMin && email.length <= EMAIL_MAX && EMAIL_ADDRESS.test(email))
    return { values: { email }, errors: {} };
  return { values: {}, errors: { email: { type: 'pattern', message: 'fields.emailInvalid' } } };
}
