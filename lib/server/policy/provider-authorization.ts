import type { LinkedMethod } from '@/lib/shared/account/security';
import { getSocialProviderId } from '@/lib/shared/sign-in-methods';
import { type Directory, type Enterprise, getDirectory, getDomain, type Partner } from './directory';
import { type EnabledIdentities, isEnabledAtOrigin } from './origin-methods';
import type { OrganizationRule } from './second-factor';

/**
 * What a sign-in provider may assert about an email:
 * - `password`, `custom`: this app validates the sign-in, and no provider asserts the email.
 * - `social`: the account's own verified flag decides.
 * - `own-domain`: an organization or partner, for an email of its configured domains. It owns these mailboxes.
 * - `any-domain`: a partner configured without domains, for an email whose domain has no other entry. It proves no
 *   mailbox.
 * - `outside-domains`: configured, but disabled or not for this email.
 * - `not-listed`: neither a social provider nor in the directory.
 */
export type ProviderAuthorization =
  | 'password'
  | 'custom'
  | 'social'
  | 'own-domain'
  | 'any-domain'
  | 'outside-domains'
  | 'not-listed';

/**
 * Decides what a provider may assert about an account's email (docs/account-policy.md#sign-in).
 * @param provider `sign_in_provider` of a token, or the id of an account's method
 * @param email the account's email
 * @param directory null before the first successful read, when no organization or partner is configured
 */
export function getProviderAuthorization(
  provider: string,
  email: string | null,
  directory: Directory | null,
): ProviderAuthorization {
  if (provider === 'password' || provider === 'custom') return provider;
  if (getSocialProviderId(provider) !== null) return 'social';
  if (directory === null) return 'not-listed';
  const domain = getDomain(email);
  if (provider.startsWith('saml.')) return getSamlAuthorization(provider, domain, directory);
  if (provider.startsWith('oidc.')) return getPartnerAuthorization(provider, domain, directory);
  return 'not-listed';
}

/**
 * Whether a method can still sign in to its account (docs/account-policy.md#removing-a-method).
 * @param enabled methods of the origin, or null for all
 */
export function canSignInWith(
  id: string,
  email: string | null,
  directory: Directory | null,
  enabled: EnabledIdentities | null,
): boolean {
  if (enabled !== null && !isEnabledAtOrigin(id, enabled)) return false;
  const authorization = getProviderAuthorization(id, email, directory);
  return authorization !== 'not-listed' && authorization !== 'outside-domains';
}

/** Whether a provider's organization has set this, for an email of its own domain. */
const isSetByOwner =
  (setting: 'allowPasskeys' | 'countsAsTwoFactors') =>
  (provider: string, email: string | null, directory: Directory | null): boolean => {
    const owners = getOwners(provider, email, directory);
    return owners.length > 0 && owners.every((owner) => owner[setting] === true);
  };

/** Whether the organization also lets its users sign in with passkeys. */
export const allowsPasskeys = isSetByOwner('allowPasskeys');
/** Whether a sign-in with the organization's provider counts as two factors. */
export const countsAsTwoFactors = isSetByOwner('countsAsTwoFactors');

/**
 * Returns the second-factor rules of a provider's organization.
 * @param provider a provider with the authorization `own-domain` for this email
 */
export function getSecondFactorRules(
  provider: string,
  email: string | null,
  directory: Directory | null,
): OrganizationRule[] {
  return toRules(getOwners(provider, email, directory));
}

/**
 * Lists the sign-in methods of an account, and whether its owner can sign in with each.
 * @param enabled methods of the origin, or null for all
 */
export async function listMethods(
  { email, methods }: { email: string | null; methods: readonly Omit<LinkedMethod, 'usable'>[] },
  enabled: EnabledIdentities | null,
): Promise<LinkedMethod[]> {
  const directory = await getDirectory();
  return methods.map((method) => ({ ...method, usable: canSignInWith(method.id, email, directory, enabled) }));
}

/** Lists the second-factor rules of all enabled entries. */
export function listOrganizationRules(directory: Directory | null): OrganizationRule[] {
  if (directory === null) return [];
  const partners = [...directory.partners.values()].filter(({ enabled }) => enabled);
  return toRules([...directory.enterprises.values(), ...partners]);
}

function toRules(entries: readonly (Enterprise | Partner)[]): OrganizationRule[] {
  return entries.flatMap(({ name, secondFactor }) => (secondFactor ? [{ ...secondFactor, organization: name }] : []));
}

/** Returns the directory's entries that list a provider for the domain of an email. */
function getOwners(provider: string, email: string | null, directory: Directory | null): (Enterprise | Partner)[] {
  const domain = getDomain(email);
  if (provider.startsWith('saml.')) return [directory?.enterprises.get(domain) ?? []].flat();
  return [...(directory?.partners.values() ?? [])].filter(
    (partner) => partner.enabled && partner.provider === provider && partner.emailDomains?.includes(domain),
  );
}

function getSamlAuthorization(provider: string, domain: string, { enterprises }: Directory): ProviderAuthorization {
  if (enterprises.get(domain)?.provider === provider) return 'own-domain';
  const isListed = [...enterprises.values()].some((entry) => entry.provider === provider);
  return isListed ? 'outside-domains' : 'not-listed';
}

function getPartnerAuthorization(provider: string, domain: string, directory: Directory): ProviderAuthorization {
  const entries = [...directory.partners.values()].filter((partner) => partner.provider === provider);
  if (entries.length === 0) return 'not-listed';
  const open = entries.filter(({ enabled }) => enabled);
  if (open.some(({ emailDomains }) => emailDomains?.includes(domain))) return 'own-domain';
  const isForAnyDomain = open.some(({ emailDomains }) => emailDomains === undefined);
  return isForAnyDomain && !isListedDomain(domain, directory) ? 'any-domain' : 'outside-domains';
}

/** Include disabled partners, because disabling a partner must not open its domains to other partners. */
function isListedDomain(domain: string, { enterprises, partners }: Directory): boolean {
  return enterprises.has(domain) || [...partners.values()].some(({ emailDomains }) => emailDomains?.includes(domain));
}
