import { getProviderAuthorization } from './providers.mjs';
import { isSignUpAllowed } from './sign-up.mjs';

/**
 * @typedef {import('./directory.mjs').Directory} Directory
 * @typedef {{ providerId: string | undefined, email: string | null | undefined }} SignIn
 *   `providerId`: `password` (also for an email link), `phone`, or a provider; `email`: of the account
 * @typedef {{ methods: readonly string[], emailVerified: boolean }} StoredAccount the account before this sign-in
 * @typedef {{ isAllowed: boolean, changes?: { emailVerified: boolean } }} Decision
 */

/**
 * Decides before an account requested by a client is created.
 * @param {SignIn} signIn
 * @param {Directory | null} directory
 * @returns {Decision}
 */
export function decideOnCreate(signIn, directory) {
  return isSignUpAllowed(signIn.providerId) ? isSignInAllowed(signIn, null, directory) : { isAllowed: false };
}

/**
 * Decides before a sign-in, and before a provider is linked to an account.
 * @param {SignIn} signIn
 * @param {Directory | null} directory
 * @param {() => Promise<StoredAccount | null>} getStoredAccount called only if the decision depends on it. The event's
 *   record cannot be used: it may already hold the changes of this sign-in.
 * @returns {Promise<Decision>}
 */
export async function decideOnSignIn(signIn, directory, getStoredAccount) {
  const isAsked = getProviderAuthorization(signIn.providerId, signIn.email, directory) === 'any-domain';
  return isSignInAllowed(signIn, isAsked ? await getStoredAccount() : null, directory);
}

/**
 * @param {SignIn} signIn
 * @param {StoredAccount | null} account null when it is not stored yet
 * @param {Directory | null} directory
 * @returns {Decision}
 */
function isSignInAllowed({ providerId, email }, account, directory) {
  const authorization = getProviderAuthorization(providerId, email, directory);
  if (authorization !== 'any-domain') return { isAllowed: authorization !== 'refused' };
  // A partner without domains cannot be linked to an existing account and never changes whether its email is verified.
  if (account !== null && !account.methods.includes(providerId ?? '')) return { isAllowed: false };
  return { isAllowed: true, changes: { emailVerified: account?.emailVerified ?? false } };
}
