import { wellKnownPaths } from '@/lib/shared/paths';
import type { Env } from './schema';

/** The file security.txt (RFC 9116, section 2.3). @returns null when no contact is configured */
export function buildSecurityTxt({
  SECURITY_CONTACT: contacts,
  SECURITY_CONTACT_EXPIRES: expires,
  SECURITY_CONTACT_LANGUAGES: languages,
  NEXT_PUBLIC_APP_ORIGIN: origin,
}: Env): string | null {
  if (contacts.length === 0 || !expires) return null;
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    `Canonical: ${origin}${wellKnownPaths.securityTxt}`,
    `Preferred-Languages: ${languages.join(', ')}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
