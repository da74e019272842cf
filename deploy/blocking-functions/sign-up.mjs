/** The app's social providers (lib/shared/providers.ts), except those by OpenID Connect. */
export const FEDERATED = ['apple.com', 'facebook.com', 'github.com', 'google.com', 'microsoft.com', 'twitter.com'];
const ORGANIZATION = /^(?:saml|oidc)\.[\w.-]+$/;

/**
 * Whether a client may create an account directly at the identity provider. The app's server creates accounts with a
 * password, and sign-in links are sent only to existing accounts, so only a first sign-in with a provider is allowed.
 * @param {string | undefined} providerId how the client signs up: `password` (also for an email link), `phone`, or a provider
 * @returns {boolean}
 */
export function isSignUpAllowed(providerId) {
  return providerId !== undefined && (FEDERATED.includes(providerId) || ORGANIZATION.test(providerId));
}
