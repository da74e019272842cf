import names from './authenticators.json';

const NAMES: Partial<Record<string, string>> = names;

/**
 * Name of a password manager by its AAGUID (WebAuthn Level 3, section 6.5.1), as its maker publishes it. It is not attested: good
 * for a list that the owner reads, and for nothing else.
 * @returns null when unknown, as for most security keys and for an authenticator that withholds it
 */
export function getAuthenticatorName(aaguid: string): string | null {
  return NAMES[aaguid] ?? null;
}
