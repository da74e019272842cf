/**
 * @typedef {import('./directory.mjs').Directory} Directory
 * @typedef {'not-applicable' | 'own-domain' | 'any-domain' | 'refused'} Authorization
 *   `not-applicable`: neither SAML nor OIDC, or a social provider that is configured as OIDC
 *   `any-domain`: a partner configured without domains, which is not authoritative for the address
 */

/**
 * Social providers by OpenID Connect, with the ids they are configured under (docs/deploy/README.md). The directory does not
 * apply to them. Same as in lib/shared/sign-in-methods.ts.
 * @type {readonly string[]}
 */
export const SOCIAL_OIDC = ['oidc.linkedin'];

/**
 * Whether a provider is authoritative for an address. Same rule as lib/server/policy/provider-authorization.ts,
 * which cannot be shipped with the function; tests/repo/blocking-functions.test.ts compares the two.
 * @param {string | undefined} providerId
 * @param {string | null | undefined} email of the account
 * @param {Directory | null} directory null: no organization or partner is configured
 * @returns {Authorization}
 */
export function getProviderAuthorization(providerId, email, directory) {
  if (!providerId || SOCIAL_OIDC.includes(providerId) || !/^(saml|oidc)\./.test(providerId)) return 'not-applicable';
  if (directory === null) return 'refused';
  const domain = (email ?? '')
    .slice((email ?? '').lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  if (providerId.startsWith('saml.'))
    return directory.enterprises.get(domain) === providerId ? 'own-domain' : 'refused';
  const open = directory.partners.filter(({ provider, enabled }) => enabled && provider === providerId);
  if (open.some(({ emailDomains }) => emailDomains?.includes(domain))) return 'own-domain';
  const isForAnyDomain = open.some(({ emailDomains }) => emailDomains === undefined);
  return isForAnyDomain && !isListedDomain(domain, directory) ? 'any-domain' : 'refused';
}

/**
 * @param {string} domain
 * @param {Directory} directory
 */
function isListedDomain(domain, { enterprises, partners }) {
  return enterprises.has(domain) || partners.some(({ emailDomains }) => emailDomains?.includes(domain));
}
