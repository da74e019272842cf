import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { processWide } from '../process-wide';
import { directoryFile, type Directory, type Enterprise, type Partner } from './file';

function directory(): Promise<Directory> {
  return processWide('directory', () => directoryFile(env().DIRECTORY_FILE))();
}

/**
 * The enterprise that a work address belongs to, by its exact domain.
 * @throws ApiProblem `invalid-enterprise-sign-in-email` for a public mailbox, `invalid-enterprise-domain` for a domain
 *   nobody has entered, `invalid-sso-method` for one that does not sign in by SAML (product decisions, 6)
 */
export async function enterpriseOf(email: string): Promise<Enterprise> {
  const { publicMailboxDomains, enterprises } = await directory();
  const domain = domainOf(email);
  if (publicMailboxDomains.has(domain)) throw new ApiProblem('invalid-enterprise-sign-in-email');
  const enterprise = enterprises.get(domain);
  if (!enterprise) throw new ApiProblem('invalid-enterprise-domain');
  if (!enterprise.provider.startsWith('saml.')) throw new ApiProblem('invalid-sso-method');
  return enterprise;
}

/** A partner by its id; null for one nobody has entered or that is not enabled. */
export async function partnerOf(id: string): Promise<Partner | null> {
  const partner = (await directory()).partners.get(id);
  return partner?.enabled === true ? partner : null;
}

/** The enabled partner that signs people in by this provider; null where there is none. */
export async function partnerBehind(provider: string): Promise<{ id: string; name: string } | null> {
  const { partners } = await directory();
  const [id, partner] = [...partners].find(([, entry]) => entry.enabled && entry.provider === provider) ?? [];
  return id !== undefined && partner ? { id, name: partner.name } : null;
}

/**
 * Whether a provider may say who owns an address: an enterprise for its own domains alone, an enabled partner for
 * the domains entered with it, everybody else for any (docs/adr/0011).
 */
export async function mayVouch(provider: string, email: string | undefined): Promise<boolean> {
  const { enterprises, partners } = await directory();
  const domain = email === undefined ? '' : domainOf(email);
  if (provider.startsWith('saml.')) return enterprises.get(domain)?.provider === provider;
  if (!provider.startsWith('oidc.')) return true;
  const entered = [...partners.values()].filter((partner) => partner.provider === provider);
  if (entered.length === 0) return true;
  return entered.some(({ enabled, emailDomains }) => enabled && (emailDomains?.includes(domain) ?? true));
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).trim().toLowerCase(); // prettier-ignore
}
