/**
 * Normalizes a password to its stored form, with composed characters (NFC; NIST SP 800-63B-4, section 3.1.1.2), because
 * systems and keyboards write the same letters in different ways.
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/**
 * Tries a typed password in its stored form, and if that is refused, as it was typed. Some passwords were set before
 * this app normalized them, or in another system. Whether there is a second try depends only on the typed password.
 * @param attempt signs in with a password, or throws
 * @param isRefusal whether an error means that the password is wrong
 * @throws the error of the last attempt
 */
export async function tryTypedPassword<T>(
  typed: string,
  attempt: (password: string) => Promise<T>,
  isRefusal: (error: unknown) => boolean,
): Promise<T> {
  const normalized = normalizePassword(typed);
  try {
    return await attempt(normalized);
  } catch (error) {
    if (normalized === typed || !isRefusal(error)) throw error;
    return attempt(typed);
  }
}
