import type { LinkedMethod } from '@/lib/shared/account/security';
import { getSocialProviderId, type SocialProviderId } from '@/lib/shared/sign-in-methods';
import { type Directory, type Enterprise, getDirectory, getDomain, type Partner } from './directory';
import type { OrganizationRule } from './second-factor';

/**
 * What a sign-in provider is authorized to assert about an email:
 * - `password`, `custom`: validated by this app, no provider asserts the email.
 * - `social`: enabled; the account's own verified flag decides.
 * - `own-domain`: an organization or partner, for an email of its configured domains. It owns these mailboxes.
 * - `any-domain`: a partner configured without domains, for an email whose domain has no other entry. It proves no
 *   mailbox.
 * - `outside-domains`: configured, but not for this email, or disabled.
 * - `not-listed`: neither an enabled social provider nor in the directory.
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
 * Decides what a provider is authorized to assert about an account's email (docs/account-policy.md#sign-in).
 * @param provider `sign_in_provider` of a token, or the id of an account's method
 * @param email the account's email
 * @param directory null before the first successful read: then no organization or partner is configured
 * @param enabledSocial social providers enabled for the origin; all when omitted
 */
export function getProviderAuthorization(
  provider: string,
  email: string | null,
  directory: Directory | null,
  enabledSocial?: ReadonlySet<SocialProviderId>,
): ProviderAuthorization {
  if (provider === 'password' || provider === 'custom') return provider;
  const social = getSocialProviderId(provider);
  if (social !== null) return (enabledSocial?.has(social) ?? true) ? 'social' : 'not-listed';
  if (directory === null) return 'not-listed';
  const domain = getDomain(email);
  if (provider.startsWith('saml.')) return getSamlAuthorization(provider, domain, directory);
  if (provider.startsWith('oidc.')) return getPartnerAuthorization(provider, domain, directory);
  return 'not-listed';
}

/**
 * Whether a method of an account may still sign in to it (docs/account-policy.md#removing-a-method).
 * @param enabledSocial social providers enabled for the origin; null: all
 */
export function canSignInWith(
  id: string,
  email: string | null,
  directory: Directory | null,
  enabledSocial: ReadonlySet<SocialProviderId> | null,
): boolean {
  const authorization = getProviderAuthorization(id, email, directory, enabledSocial ?? undefined);
  return authorization !== 'not-listed' && authorization !== 'outside-domains';
}

/** Whether the organization of a provider has set this: one with the authorization `own-domain` for the email. */
const isSetByOwner =
  (setting: 'allowPasskeys' | 'countsAsTwoFactors') =>
  (provider: string, email: string | null, directory: Directory | null): boolean => {
    const owners = getOwners(provider, email, directory);
    return owners.length > 0 && owners.every((owner) => owner[setting] === true);
  };

/** Whether the organization lets its users sign in with passkeys, too. */
export const allowsPasskeys = isSetByOwner('allowPasskeys');
/** Whether a sign-in with its provider counts as two factors. */
export const countsAsTwoFactors = isSetByOwner('countsAsTwoFactors');

/**
 * What the organization of a provider says about the second factor.
 * @param provider one with the authorization `own-domain` for this email
 */
export function getSecondFactorRules(
  provider: string,
  email: string | null,
  directory: Directory | null,
): OrganizationRule[] {
  return toRules(getOwners(provider, email, directory));
}

/**
 * The sign-in methods of an account, and whether its owner can sign in with each.
 * @param enabledSocial social providers enabled for the origin; null: all
 */
export async function listMethods(
  { email, methods }: { email: string | null; methods: readonly Omit<LinkedMethod, 'usable'>[] },
  enabledSocial: ReadonlySet<SocialProviderId> | null,
): Promise<LinkedMethod[]> {
  const directory = await getDirectory();
  return methods.map((method) => ({ ...method, usable: canSignInWith(method.id, email, directory, enabledSocial) }));
}

/** All of them, of enabled entries. */
export function listOrganizationRules(directory: Directory | null): OrganizationRule[] {
  if (directory === null) return [];
  const partners = [...directory.partners.values()].filter(({ enabled }) => enabled);
  return toRules([...directory.enterprises.values(), ...partners]);
}

function toRules(entries: readonly (Enterprise | Partner)[]): OrganizationRule[] {
  return entries.flatMap(({ name, secondFactor }) => (secondFactor ? [{ ...secondFactor, organization: name }] : []));
}

/** The entries of the directory that list a provider for the domain of an email. */
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

/** Disabled partners count too: disabling one must not open its domains to other partners. */
function isListedDomain(domain: string, { enterprises, partners }: Directory): boolean {
  return enterprises.has(domain) || [...partners.values()].some(({ emailDomains }) => emailDomains?.includes(domain));
}
