/**
 * The first letters of the first and the last word of a name, or the first letter of an email address.
 * @param name the account's name, or its email address
 */
export function getInitials(name: string): string {
  const words = name.includes('@') ? [name] : name.trim().split(/\s+/);
  const letters = [words[0], ...(words.length > 1 ? [words.at(-1)] : [])].map((word = '') => [...word][0] ?? '');
  // Letters of a script that joins them stay apart.
  return letters.join('\u200c').toUpperCase();
}
