import type { ResolverResult } from 'react-hook-form';
import { SIGN_UP } from './limits';

export type EmailValues = { email: string };

/** Longest address that is looked at (RFC 5321, section 4.5.3.1.3, without the brackets). */
export const EMAIL_MAX = 254;

const ATOM = "[a-z0-9_'+~&=-]+";
const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
/**
 * An address in lower case as people have them: a dot-atom of harmless characters (RFC 5322, section 3.2.3) at a host
 * with a dot (RFC 1123, section 2.1), whose last part is no number. One text for browsers and the server.
 */
export const EMAIL_ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+(?![0-9]+$)${LABEL}$`);

/** What a form asks for that needs nothing but an address, checked without zod (docs/adr/0019). */
export const emailRules = { resolver };

function resolver(input: Partial<EmailValues>): ResolverResult<EmailValues> {
  const email = (input.email ?? '').trim().toLowerCase();
  if (email.length >= SIGN_UP.emailMin && email.length <= EMAIL_MAX && EMAIL_ADDRESS.test(email))
    return { values: { email }, errors: {} };
  return { values: {}, errors: { email: { type: 'pattern', message: 'fields.emailInvalid' } } };
}
