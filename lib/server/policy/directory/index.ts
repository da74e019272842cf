import { PUBLIC_MAILBOXES } from '@/lib/shared/account/public-mailboxes';
import { ApiProblem } from '@/lib/shared/problem';
import { env, processWide, type ReloadingFile } from '@/lib/server/runtime';
import { getDomain } from '../provider-authorization';
import { openDirectoryFile, type Directory, type Enterprise, type Partner } from './file';

export function getDirectoryFile(path: string): ReloadingFile<Directory> {
  return processWide('directory', () => openDirectoryFile(path));
}

/**
 * Configured organizations and partners. Null without `DIRECTORY_FILE` and before the first successful read, when none
 * of them may sign users in.
 */
export async function getDirectory(): Promise<Directory | null> {
  const { DIRECTORY_FILE: path } = env();
  return path === undefined ? null : getDirectoryFile(path).read();
}

async function getDirectoryOrEmpty(): Promise<Directory> {
  return (await getDirectory()) ?? { publicMailboxDomains: new Set(), enterprises: new Map(), partners: new Map() };
}

/**
 * The enterprise that a work email belongs to, by its exact domain.
 * @throws ApiProblem `invalid-enterprise-sign-in-email` for a public mailbox, `invalid-enterprise-domain` for a domain
 *   without an entry, `invalid-sso-method` for one that does not sign in by SAML (docs/product.md#screens)
 */
export async function getEnterprise(email: string): Promise<Enterprise> {
  const { publicMailboxDomains, enterprises } = await getDirectoryOrEmpty();
  const domain = getDomain(email);
  if (publicMailboxDomains.has(domain)) throw new ApiProblem('invalid-enterprise-sign-in-email');
  const enterprise = enterprises.get(domain);
  // After the entries: one of them may be the provider of such mailboxes.
  if (!enterprise && PUBLIC_MAILBOXES.includes(domain)) throw new ApiProblem('invalid-enterprise-sign-in-email');
  if (!enterprise) throw new ApiProblem('invalid-enterprise-domain');
  if (!enterprise.provider.startsWith('saml.')) throw new ApiProblem('invalid-sso-method');
  return enterprise;
}

/** A partner by its id; null when it is unknown or not enabled. */
export async function getPartner(id: string): Promise<Partner | null> {
  const partner = (await getDirectoryOrEmpty()).partners.get(id);
  return partner?.enabled === true ? partner : null;
}

/** The enabled partner that signs users in with this provider; null when there is none. */
export async function getPartnerOfProvider(provider: string): Promise<{ id: string; name: string } | null> {
  const { partners } = await getDirectoryOrEmpty();
  const [id, partner] = [...partners].find(([, entry]) => entry.enabled && entry.provider === provider) ?? [];
  return id !== undefined && partner ? { id, name: partner.name } : null;
}
